package cli

import (
	"testing"

	"chatvault/internal/app/config"
)

func TestAsLines(t *testing.T) {
	given := func(v bool) *config.Config {
		return &config.Config{Screen: config.Screen{Accessible: config.Value[bool]{V: v, Origin: config.Origin{Kind: config.Environment}}}}
	}
	for _, tt := range []struct {
		cfg  *config.Config
		env  string
		want bool
	}{
		{&config.Config{}, "", false},
		{&config.Config{}, "1", true},
		{&config.Config{}, "true", true},
		{&config.Config{}, "0", false},
		{&config.Config{}, "False", false},
		{given(true), "", true},
		{given(true), "0", true},
		{given(false), "1", false},
	} {
		s := Streams{LookupEnv: func(name string) (string, bool) { return tt.env, name == "ACCESSIBLE" && tt.env != "" }}
		if got := asLines(tt.cfg, s); got != tt.want {
			t.Errorf("set %v, ACCESSIBLE=%q: %v", tt.cfg.Accessible, tt.env, got)
		}
	}
}
