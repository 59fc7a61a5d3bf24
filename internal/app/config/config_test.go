package config

import (
	"os"
	"slices"
	"testing"
)

// The model chosen for a vault overrides files, and is overridden by the environment and flags.
func TestChosenModelPrecedence(t *testing.T) {
	tests := []struct {
		name  string
		user  string
		env   map[string]string
		flags map[string]string
		want  bool
	}{
		{"alone", "", nil, nil, true},
		{"before the user's file", "model = \"openai/z\"\n", nil, nil, true},
		{"after the environment", "", map[string]string{"CHATVAULT_MODEL": "z"}, nil, false},
		{"after a flag", "", nil, map[string]string{"model": "z"}, false},
		{"another endpoint in this run", "", nil, map[string]string{"base_url": "https://x.example/v1"}, false},
		{"an endpoint in the environment", "", map[string]string{"OPENAI_BASE_URL": "https://x.example/v1"}, nil, true},
		{"offline", "", nil, map[string]string{"offline": "true"}, false},
	}
	for _, tt := range tests {
		in := sourcesWith(t, tt.user, "")
		if tt.user == "" {
			in.UserFile = os.DevNull
		}
		in.Flags, in.LookupEnv = tt.flags, func(name string) (string, bool) { v, ok := tt.env[name]; return v, ok }
		in.Chosen = func(string) (string, error) { return "groq/y", nil }
		cfg, err := Load(in)
		if err != nil {
			t.Fatal(err)
		}
		if cfg.ChosenCounts() != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, cfg.ChosenCounts(), tt.want)
		}
		i := slices.IndexFunc(cfg.Settings(), func(s Setting) bool { return s.Key == "model" })
		if s := cfg.Settings()[i]; (s.Shown+" "+s.From.String() == "groq/y chosen with /model") != tt.want {
			t.Errorf("%s: shown as %+v", tt.name, s)
		}
	}
}
