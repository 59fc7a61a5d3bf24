package attention

import (
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"
)

func env(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

type ability struct {
	way    way
	window Window
}

func TestAbilities(t *testing.T) {
	for _, tt := range []struct {
		name    string
		setting string
		env     []string
		want    ability
	}{
		{"an unknown terminal", Auto, []string{"TERM", "xterm-256color"}, ability{bell, Window{true}}},
		{"a dumb terminal", UseOSC9, []string{"TERM", "dumb"}, ability{}},
		{"no name at all", Auto, nil, ability{}},
		{"the Linux console", Auto, []string{"TERM", "linux"}, ability{bell, Window{false}}},
		{"off", UseNone, []string{"TERM", "xterm-kitty"}, ability{silent, Window{true}}},
		{"the bell", UseBell, []string{"TERM", "xterm-kitty"}, ability{bell, Window{true}}},
		{"kitty", Auto, []string{"TERM", "xterm-kitty"}, ability{osc9, Window{true}}},
		{"foot", Auto, []string{"TERM", "foot"}, ability{osc9, Window{true}}},
		{"osc9 on an unknown terminal", UseOSC9, []string{"TERM", "xterm"}, ability{osc9, Window{true}}},
		{"Ghostty", Auto, []string{"TERM", "xterm-ghostty", "TERM_PROGRAM", "ghostty"}, ability{osc9, Window{true}}},
		{"iTerm2", Auto, []string{"TERM", "xterm-256color", "TERM_PROGRAM", "iTerm.app"}, ability{osc9, Window{true}}},
		{"WezTerm", Auto, []string{"TERM", "xterm-256color", "TERM_PROGRAM", "WezTerm"}, ability{osc9, Window{true}}},
		{"Windows Terminal", Auto, []string{"TERM", "xterm-256color", "WT_SESSION", "x"}, ability{bell, Window{true}}},
		{"tmux, nothing known of the outside", Auto, []string{"TERM", "tmux-256color", "TMUX", "/x"}, ability{bell, Window{true}}},
		{"tmux in kitty", Auto, []string{"TERM", "tmux-256color", "TMUX", "/x", "KITTY_WINDOW_ID", "1"}, ability{osc9Tmux, Window{true}}},
		{"osc9 in tmux", UseOSC9, []string{"TERM", "screen-256color", "TMUX", "/x"}, ability{osc9Tmux, Window{true}}},
		{"tmux in Windows Terminal", Auto, []string{"TERM", "tmux-256color", "TMUX", "/x", "WT_SESSION", "x"}, ability{bell, Window{true}}},
		{"GNU screen in iTerm2", Auto, []string{"TERM", "screen", "STY", "1", "LC_TERMINAL", "iTerm2"}, ability{bell, Window{true}}},
		{"osc9 in GNU screen", UseOSC9, []string{"TERM", "screen", "STY", "1"}, ability{osc9, Window{true}}},
	} {
		if got := (ability{wayOf(tt.setting, env(tt.env...)), WindowOf(env(tt.env...))}); got != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
	}
}

func TestWindowTitleIsRestored(t *testing.T) {
	w := Window{Title: true}
	if begin, end := w.Begin(), w.End(); begin != "\x1b[22;0t" || end != "\x1b]2;\a\x1b[23;0t" {
		t.Errorf("%q, then %q", begin, end)
	}
	if w = (Window{}); w.Begin()+w.End() != "" {
		t.Errorf("%q, then %q", w.Begin(), w.End())
	}
}

// TestNotificationsAreWhole: a notification is a single sequence, whatever its text.
func TestNotificationsAreWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text") + rapid.SampledFrom([]string{"", "\x1b\\", "\a", "\x9c", "\u009c", "4;1;50", "\n4;3"}).Draw(t, "end")
		inner, found := strings.CutPrefix(osc9.sequence(text), "\x1b]9;chatvault: ")
		inner, ended := strings.CutSuffix(inner, "\a")
		if !found || !ended || strings.IndexFunc(inner, unicode.IsControl) >= 0 {
			t.Fatalf("%q", osc9.sequence(text))
		}
		if n := len([]rune(inner)); n > 8*maxText {
			t.Fatalf("%d characters", n)
		}
		tmux := osc9Tmux.sequence(text)
		if want := "\x1bPtmux;\x1b\x1b]9;chatvault: " + inner + "\a\x1b\\"; tmux != want {
			t.Fatalf("%q, want %q", tmux, want)
		}
	})
}
