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

func TestNotification(t *testing.T) {
	const osc = "\x1b]9;chatvault: done\a"
	const bell, tmux = "\a", "\x1bPtmux;\x1b" + osc + "\x1b\\"
	for _, tt := range []struct {
		name    string
		setting string
		env     []string
		want    string
		window  Window
	}{
		{"an unknown terminal", Auto, []string{"TERM", "xterm-256color"}, bell, true},
		{"a dumb terminal", UseOSC9, []string{"TERM", "dumb"}, "", false},
		{"no name at all", Auto, nil, "", false},
		{"the Linux console", Auto, []string{"TERM", "linux"}, bell, false},
		{"off", UseNone, []string{"TERM", "xterm-kitty"}, "", true},
		{"the bell", UseBell, []string{"TERM", "xterm-kitty"}, bell, true},
		{"kitty", Auto, []string{"TERM", "xterm-kitty"}, osc, true},
		{"foot", Auto, []string{"TERM", "foot"}, osc, true},
		{"osc9 on an unknown terminal", UseOSC9, []string{"TERM", "xterm"}, osc, true},
		{"Ghostty", Auto, []string{"TERM", "xterm-ghostty", "TERM_PROGRAM", "ghostty"}, osc, true},
		{"iTerm2", Auto, []string{"TERM", "xterm-256color", "TERM_PROGRAM", "iTerm.app"}, osc, true},
		{"WezTerm", Auto, []string{"TERM", "xterm-256color", "TERM_PROGRAM", "WezTerm"}, osc, true},
		{"Warp", Auto, []string{"TERM", "xterm-256color", "TERM_PROGRAM", "WarpTerminal"}, osc, true},
		{"Windows Terminal", Auto, []string{"TERM", "xterm-256color", "WT_SESSION", "x"}, bell, true},
		{"tmux", Auto, []string{"TERM", "tmux-256color", "TMUX", "/x", "TERM_PROGRAM", "ghostty"}, bell, true},
		{"osc9 in tmux", UseOSC9, []string{"TERM", "screen-256color", "TMUX", "/x"}, tmux, true},
		{"GNU screen in iTerm2", Auto, []string{"TERM", "screen", "STY", "1", "TERM_PROGRAM", "iTerm.app"}, bell, true},
		{"osc9 in GNU screen", UseOSC9, []string{"TERM", "screen", "STY", "1"}, osc, true},
	} {
		if got := Notification(tt.setting, env(tt.env...), "done"); got != tt.want || WindowOf(env(tt.env...)) != tt.window {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestWindowTitleIsRestored(t *testing.T) {
	w := Window(true)
	if begin, end := w.Begin(), w.End(); begin != "\x1b[22;0t" || end != "\x1b]2;\a\x1b[23;0t" {
		t.Errorf("%q, then %q", begin, end)
	}
	if w = false; w.Begin()+w.End() != "" {
		t.Errorf("%q, then %q", w.Begin(), w.End())
	}
}

// TestNotificationsAreWhole: a notification is a single sequence, whatever its text.
func TestNotificationsAreWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text") + rapid.SampledFrom([]string{"", "\x1b\\", "\a", "\x9c", "\u009c", "4;1;50", "\n4;3"}).Draw(t, "end")
		osc := Notification(UseOSC9, env("TERM", "xterm"), text)
		inner, found := strings.CutPrefix(osc, "\x1b]9;chatvault: ")
		inner, ended := strings.CutSuffix(inner, "\a")
		if !found || !ended || strings.IndexFunc(inner, unicode.IsControl) >= 0 {
			t.Fatalf("%q", osc)
		}
		if n := len([]rune(inner)); n > 8*maxText {
			t.Fatalf("%d characters", n)
		}
		tmux := Notification(UseOSC9, env("TERM", "xterm", "TMUX", "x"), text)
		if want := "\x1bPtmux;\x1b\x1b]9;chatvault: " + inner + "\a\x1b\\"; tmux != want {
			t.Fatalf("%q, want %q", tmux, want)
		}
	})
}
