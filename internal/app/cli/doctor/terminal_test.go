package doctor

import (
	"strings"
	"testing"

	"chatvault/internal/app/config"
	"chatvault/internal/base/terminal/attention"
)

func TestTmuxFindings(t *testing.T) {
	for _, tt := range []struct {
		notify string
		tmux   attention.Tmux
		want   string // suggested option; empty if nothing is reported
	}{
		{attention.Auto, attention.Tmux{Known: true, Focus: true, Passes: true}, ""},
		{attention.Auto, attention.Tmux{Known: true, Passes: true}, "focus-events"},
		{attention.Auto, attention.Tmux{Known: true, Focus: true}, "allow-passthrough"},
		{attention.UseBell, attention.Tmux{Known: true, Focus: true}, ""},
		{attention.UseNone, attention.Tmux{Known: true}, ""},
		{attention.Auto, attention.Tmux{}, ""},
	} {
		got := tmuxFindings(tt.notify, tt.tmux)
		switch {
		case tt.want == "" && len(got) > 0:
			t.Errorf("%+v: %+v", tt, got)
		case tt.want != "" && (len(got) != 1 || !got[0].warn || strings.Count(got[0].todo, "set -g") != 1 || !strings.Contains(got[0].todo, tt.want)):
			t.Errorf("%+v: %+v", tt, got)
		}
	}
}

func TestFixAt(t *testing.T) {
	for want, o := range map[string]config.Origin{
		"flag --base-url":          {Kind: config.Flag, Name: "base-url"},
		"variable OPENAI_BASE_URL": {Kind: config.Environment, Name: "OPENAI_BASE_URL"},
		"that line":                {Kind: config.UserFile, Name: "c.toml", Line: 3},
	} {
		if got := fixAt(o); !strings.Contains(got, want) {
			t.Errorf("%+v: %q", o, got)
		}
	}
}
