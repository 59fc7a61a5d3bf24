package tty

import "testing"

func TestHyperlinks(t *testing.T) {
	for _, tt := range []struct {
		env  []string
		want bool
	}{
		{nil, false},
		{[]string{"TERM", "dumb", "VTE_VERSION", "7600"}, false},
		{[]string{"TERM", "linux"}, false},
		{[]string{"TERM", "xterm-256color"}, false},
		{[]string{"TERM", "xterm-256color", "COLORTERM", "truecolor"}, false},
		{[]string{"TERM", "xterm-256color", "VTE_VERSION", "7600"}, true},
		{[]string{"TERM", "xterm-256color", "KONSOLE_VERSION", "230804"}, true},
		{[]string{"TERM", "xterm-256color", "WT_SESSION", "x"}, true},
		{[]string{"TERM", "xterm-kitty"}, true},
		{[]string{"TERM", "foot"}, true},
		{[]string{"TERM", "xterm-256color", "TERM_PROGRAM", "Apple_Terminal"}, false},
		{[]string{"TERM", "xterm-256color", "TERM_PROGRAM", "iTerm.app", "TERM_PROGRAM_VERSION", "3.5.2"}, true},
		{[]string{"TERM", "xterm-256color", "TERM_PROGRAM", "vscode", "TERM_PROGRAM_VERSION", "1.104.0"}, true},
		{[]string{"TERM", "xterm-256color", "TERM_PROGRAM", "WezTerm"}, true},
		{[]string{"TERM", "tmux-256color", "TMUX", "x", "TERM_PROGRAM", "tmux", "TERM_PROGRAM_VERSION", "3.4"}, true},
		{[]string{"TERM", "screen-256color", "TMUX", "x", "TERM_PROGRAM", "tmux", "TERM_PROGRAM_VERSION", "3.5a"}, true},
		{[]string{"TERM", "tmux-256color", "TMUX", "x", "TERM_PROGRAM", "tmux", "TERM_PROGRAM_VERSION", "next-3.6"}, true},
		{[]string{"TERM", "tmux-256color", "VTE_VERSION", "7600"}, false}, // over SSH
		{[]string{"TERM", "screen", "STY", "x", "VTE_VERSION", "7600"}, false},
	} {
		env := map[string]string{}
		for i := 0; i < len(tt.env); i += 2 {
			env[tt.env[i]] = tt.env[i+1]
		}
		if got := Hyperlinks(func(name string) string { return env[name] }); got != tt.want {
			t.Errorf("%v: %v, want %v", tt.env, got, tt.want)
		}
	}
}
