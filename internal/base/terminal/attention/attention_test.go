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
		{"an unknown terminal", Auto, []string{"TERM", "xterm-256color"}, ability{bell, Window{true, false}}},
		{"a dumb terminal", UseOSC9, []string{"TERM", "dumb"}, ability{}},
		{"no name at all", Auto, nil, ability{}},
		{"the Linux console", Auto, []string{"TERM", "linux"}, ability{bell, Window{false, false}}},
		{"off", UseNone, []string{"TERM", "xterm-kitty"}, ability{silent, Window{true, false}}},
		{"the bell", UseBell, []string{"TERM", "xterm-kitty"}, ability{bell, Window{true, false}}},
		{"kitty", Auto, []string{"TERM", "xterm-kitty"}, ability{osc9, Window{true, false}}},
		{"foot", Auto, []string{"TERM", "foot"}, ability{osc9, Window{true, false}}},
		{"osc9 on an unknown terminal", UseOSC9, []string{"TERM", "xterm"}, ability{osc9, Window{true, false}}},
		{"Ghostty", Auto, []string{"TERM", "xterm-ghostty", "TERM_PROGRAM", "ghostty", "TERM_PROGRAM_VERSION", "1.2.3"}, ability{osc9, Window{true, true}}},
		{"an elder Ghostty", Auto, []string{"TERM", "xterm-ghostty", "TERM_PROGRAM", "ghostty", "TERM_PROGRAM_VERSION", "1.1.3"}, ability{osc9, Window{true, false}}},
		{"iTerm2", Auto, []string{"TERM", "xterm-256color", "TERM_PROGRAM", "iTerm.app", "TERM_PROGRAM_VERSION", "3.6.10beta1"}, ability{osc9, Window{true, true}}},
		{"an elder iTerm2", Auto, []string{"TERM", "xterm-256color", "TERM_PROGRAM", "iTerm.app", "TERM_PROGRAM_VERSION", "3.5.14"}, ability{osc9, Window{true, false}}},
		{"WezTerm", Auto, []string{"TERM", "xterm-256color", "TERM_PROGRAM", "WezTerm", "TERM_PROGRAM_VERSION", "20260117-154428-05343b38"}, ability{osc9, Window{true, true}}},
		{"an elder WezTerm", Auto, []string{"TERM", "xterm-256color", "TERM_PROGRAM", "WezTerm", "TERM_PROGRAM_VERSION", "20240203-110809-5046fc22"}, ability{osc9, Window{true, false}}},
		{"Windows Terminal", Auto, []string{"TERM", "xterm-256color", "WT_SESSION", "x"}, ability{bell, Window{true, true}}},
		{"ConEmu", Auto, []string{"TERM", "xterm-256color", "ConEmuANSI", "ON"}, ability{bell, Window{true, true}}},
		{"tmux, nothing known of the outside", Auto, []string{"TERM", "tmux-256color", "TMUX", "/x"}, ability{bell, Window{true, false}}},
		{"tmux in kitty", Auto, []string{"TERM", "tmux-256color", "TMUX", "/x", "KITTY_WINDOW_ID", "1"}, ability{osc9Tmux, Window{true, false}}},
		{"osc9 in tmux", UseOSC9, []string{"TERM", "screen-256color", "TMUX", "/x"}, ability{osc9Tmux, Window{true, false}}},
		{"tmux in Windows Terminal", Auto, []string{"TERM", "tmux-256color", "TMUX", "/x", "WT_SESSION", "x"}, ability{bell, Window{true, false}}},
		{"GNU screen in iTerm2", Auto, []string{"TERM", "screen", "STY", "1", "LC_TERMINAL", "iTerm2"}, ability{bell, Window{true, false}}},
		{"osc9 in GNU screen", UseOSC9, []string{"TERM", "screen", "STY", "1"}, ability{osc9, Window{true, false}}},
	} {
		if got := (ability{wayOf(tt.setting, env(tt.env...)), WindowOf(env(tt.env...))}); got != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
	}
}

func TestPasses(t *testing.T) {
	for answer, want := range map[string]bool{
		"3.4 on\n": true, "3.4 all\n": true, "3.3a 1\n": true, "3.3a 0\n": false, "3.4 off\n": false, "3.2a \n": true, "2.9\n": true, "next-3.6 \n": false, "": false, "\n": false,
	} {
		if got := passes(answer); got != want {
			t.Errorf("%q: %v", answer, got)
		}
	}
}

func TestWindowTitleIsRestored(t *testing.T) {
	w := Window{Title: true, Progress: true}
	if begin, end := w.Begin(), w.End(); begin != "\x1b[22;0t" || end != "\x1b]9;4;0\a\x1b]2;\a\x1b[23;0t" {
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
