package tty

import "testing"

func env(kv ...string) func(string) string {
	return func(k string) string {
		for i := 0; i < len(kv); i += 2 {
			if kv[i] == k {
				return kv[i+1]
			}
		}
		return ""
	}
}

func TestOfColour(t *testing.T) {
	for spec, want := range map[string]Background{
		"rgb:0000/0000/0000": Dark, "rgb:ffff/ffff/ffff": Light, "rgb:1e/1e/2e": Dark, "rgb:f/f/f": Light,
		"rgba:fdfd/f6f6/e3e3/ffff": Light, "#002b36": Dark, "#fdf6e3": Light, "#fff": Light,
		"": Unknown, "rgb:": Unknown, "rgb:1/2": Unknown, "rgb:x/y/z": Unknown, "rgb:12345/0/0": Unknown, "#12": Unknown, "#": Unknown, "black": Unknown,
	} {
		if got := ofColour(spec); got != want {
			t.Errorf("ofColour(%q) = %v, want %v", spec, got, want)
		}
	}
}

func TestFromEnvironment(t *testing.T) {
	for value, want := range map[string]Background{
		"15;0": Dark, "0;15": Light, "15;default;0": Dark, "0;7": Light, "7;8": Dark,
		"": Unknown, "0;default": Unknown, "15": Unknown, "0;99": Unknown, "0;-1": Unknown,
	} {
		if got := fromEnvironment(env("COLORFGBG", value, "TERM", "xterm")); got != want {
			t.Errorf("COLORFGBG=%q: %v, want %v", value, got, want)
		}
	}
	if got := fromEnvironment(env("TERM", "linux")); got != Dark {
		t.Errorf("the Linux console: %v", got)
	}
}

func TestColorProfile(t *testing.T) {
	for _, c := range []struct {
		env  []string
		want Profile
	}{
		{[]string{"TERM", "xterm-256color"}, Colors256},
		{[]string{"TERM", "xterm-256color", "COLORTERM", "truecolor"}, TrueColor},
		{[]string{"TERM", "xterm-256color", "COLORTERM", "truecolor", "NO_COLOR", "1"}, NoColor},
		{[]string{"TERM", "xterm", "CLICOLOR", "0"}, NoColor},
		{[]string{"TERM", "dumb", "COLORTERM", "truecolor"}, NoColor},
		{nil, NoColor},
		{[]string{"TERM", "xterm"}, Colors16},
		{[]string{"TERM", "linux"}, Colors16},
		{[]string{"TERM", "vt100"}, NoColor},
		{[]string{"TERM", "xterm-kitty"}, TrueColor},
		{[]string{"TERM", "xterm-direct"}, TrueColor},
		{[]string{"TERM", "tmux-256color"}, Colors256},
		{[]string{"TERM", "tmux-256color", "COLORTERM", "truecolor"}, TrueColor},
		{[]string{"TERM", "screen-256color", "COLORTERM", "truecolor"}, Colors256},
		{[]string{"TERM", "screen-256color", "COLORTERM", "truecolor", "TMUX", "/tmp/x"}, TrueColor},
		{[]string{"TERM", "screen", "TERM_PROGRAM", "iTerm.app"}, Colors256},
		{[]string{"TERM", "xterm-256color", "TERM_PROGRAM", "vscode"}, TrueColor},
		{[]string{"TERM", "xterm-256color", "WT_SESSION", "x"}, TrueColor},
		{[]string{"WT_SESSION", "x"}, TrueColor}, // on Windows itself
		{[]string{"WT_SESSION", "x", "NO_COLOR", "1"}, NoColor},
	} {
		if got := ColorProfile(env(c.env...)); got != c.want {
			t.Errorf("%v: %q, want %q", c.env, got, c.want)
		}
	}
}
