package attention

import (
	"bytes"
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

func TestAbilities(t *testing.T) {
	for _, tt := range []struct {
		name    string
		setting string
		env     []string
		want    Abilities
	}{
		{"an unknown terminal", Auto, []string{"TERM", "xterm-256color"}, Abilities{Way: Bell, Title: true, Progress: false}},
		{"no terminal to speak of", UseOSC9, []string{"TERM", "dumb"}, Abilities{}},
		{"no name at all", Auto, nil, Abilities{}},
		{"the Linux console", Auto, []string{"TERM", "linux"}, Abilities{Way: Bell, Title: false, Progress: false}},
		{"off", UseNone, []string{"TERM", "xterm-kitty"}, Abilities{Way: Silent, Title: true, Progress: false}},
		{"the bell", UseBell, []string{"TERM", "xterm-kitty"}, Abilities{Way: Bell, Title: true, Progress: false}},
		{"kitty", Auto, []string{"TERM", "xterm-kitty"}, Abilities{Way: OSC9, Title: true, Progress: false}},
		{"foot", Auto, []string{"TERM", "foot"}, Abilities{Way: OSC9, Title: true, Progress: false}},
		{"osc9 where nothing is known", UseOSC9, []string{"TERM", "xterm"}, Abilities{Way: OSC9, Title: true, Progress: false}},
		{"Ghostty", Auto, []string{"TERM", "xterm-ghostty", "TERM_PROGRAM", "ghostty", "TERM_PROGRAM_VERSION", "1.2.3"}, Abilities{Way: OSC9, Title: true, Progress: true}},
		{"an elder Ghostty", Auto, []string{"TERM", "xterm-ghostty", "TERM_PROGRAM", "ghostty", "TERM_PROGRAM_VERSION", "1.1.3"}, Abilities{Way: OSC9, Title: true, Progress: false}},
		{"iTerm2", Auto, []string{"TERM", "xterm-256color", "TERM_PROGRAM", "iTerm.app", "TERM_PROGRAM_VERSION", "3.6.10beta1"}, Abilities{Way: OSC9, Title: true, Progress: true}},
		{"an elder iTerm2", Auto, []string{"TERM", "xterm-256color", "TERM_PROGRAM", "iTerm.app", "TERM_PROGRAM_VERSION", "3.5.14"}, Abilities{Way: OSC9, Title: true, Progress: false}},
		{"WezTerm", Auto, []string{"TERM", "xterm-256color", "TERM_PROGRAM", "WezTerm", "TERM_PROGRAM_VERSION", "20260117-154428-05343b38"}, Abilities{Way: OSC9, Title: true, Progress: true}},
		{"an elder WezTerm", Auto, []string{"TERM", "xterm-256color", "TERM_PROGRAM", "WezTerm", "TERM_PROGRAM_VERSION", "20240203-110809-5046fc22"}, Abilities{Way: OSC9, Title: true, Progress: false}},
		{"Windows Terminal", Auto, []string{"TERM", "xterm-256color", "WT_SESSION", "x"}, Abilities{Way: Bell, Title: true, Progress: true}},
		{"ConEmu", Auto, []string{"TERM", "xterm-256color", "ConEmuANSI", "ON"}, Abilities{Way: Bell, Title: true, Progress: true}},
		{"tmux, nothing known of the outside", Auto, []string{"TERM", "tmux-256color", "TMUX", "/x"}, Abilities{Way: Bell, Title: true, Progress: false}},
		{"tmux in kitty", Auto, []string{"TERM", "tmux-256color", "TMUX", "/x", "KITTY_WINDOW_ID", "1"}, Abilities{Way: OSC9Tmux, Title: true, Progress: false}},
		{"osc9 in tmux", UseOSC9, []string{"TERM", "screen-256color", "TMUX", "/x"}, Abilities{Way: OSC9Tmux, Title: true, Progress: false}},
		{"tmux in Windows Terminal", Auto, []string{"TERM", "tmux-256color", "TMUX", "/x", "WT_SESSION", "x"}, Abilities{Way: Bell, Title: true, Progress: false}},
		{"GNU screen in iTerm2", Auto, []string{"TERM", "screen", "STY", "1", "LC_TERMINAL", "iTerm2"}, Abilities{Way: Bell, Title: true, Progress: false}},
		{"osc9 in GNU screen", UseOSC9, []string{"TERM", "screen", "STY", "1"}, Abilities{Way: OSC9, Title: true, Progress: false}},
	} {
		got := Of(tt.setting, env(tt.env...))
		if (got.Passes != nil) != (got.Way == OSC9Tmux) {
			t.Errorf("%s: tmux is asked %v", tt.name, got.Passes != nil)
		}
		if got.Way != tt.want.Way || got.Title != tt.want.Title || got.Progress != tt.want.Progress {
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

func TestALife(t *testing.T) {
	var out bytes.Buffer
	x := New(&out, Abilities{Way: OSC9, Title: true, Progress: true})
	wrote := func(want string) {
		t.Helper()
		x.Flush()
		if got := out.String(); got != want {
			t.Errorf("wrote %q, want %q", got, want)
		}
		out.Reset()
	}
	x.Title("before it begins")
	x.Show(Working)
	x.Tell("nothing")
	wrote("")
	x.Begin()
	x.Begin()
	wrote("\x1b[22;0t")
	x.Title("… Notes · chatvault")
	wrote("\x1b]2;… Notes · chatvault\a")
	x.Show(Idle) // nothing to clear
	wrote("")
	x.Show(Working)
	wrote("\x1b]9;4;3;0\x1b\\")
	x.Show(Waiting)
	wrote("\x1b]9;4;4;100\x1b\\")
	x.Tell("done\x1b]0;evil\a")
	wrote("\x1b]9;chatvault: done␛]0;evil␇\a")
	x.End()
	wrote("\x1b]9;4;0;0\x1b\\\x1b]2;\a\x1b[23;0t")
	x.End()
	x.Tell("too late")
	wrote("")
	x.Again()
	wrote("\x1b[22;0t\x1b]2;… Notes · chatvault\a")
}

func TestTmuxIsAskedOnce(t *testing.T) {
	for passes, want := range map[bool]string{
		true: "\x1bPtmux;\x1b\x1b]9;chatvault: a\a\x1b\\\x1bPtmux;\x1b\x1b]9;chatvault: b\a\x1b\\", false: "\a\a",
	} {
		var out bytes.Buffer
		asked := 0
		x := New(&out, Abilities{Way: OSC9Tmux, Passes: func() bool { asked++; return passes }})
		x.Begin()
		x.Flush()
		if asked > 0 {
			t.Error("asked before it matters")
		}
		x.Tell("a")
		x.Flush()
		x.Tell("b")
		x.Flush()
		if asked != 1 || out.String() != want {
			t.Errorf("asked %d times, wrote %q", asked, out.String())
		}
	}
}

func TestWhatCannotIsNotWritten(t *testing.T) {
	var out bytes.Buffer
	x := New(&out, Abilities{})
	x.Begin()
	x.Title("a")
	x.Show(Working)
	x.Tell("b")
	if x.Pending() {
		t.Error("something is noted")
	}
	x.End()
	if out.Len() > 0 {
		t.Errorf("wrote %q", out.String())
	}
}

// A notification is a single sequence, whatever its text.
func TestNotificationsAreWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text") + rapid.SampledFrom([]string{"", "\x1b\\", "\a", "\x9c", "\u009c", "4;1;50", "\n4;3"}).Draw(t, "end")
		inner, found := strings.CutPrefix(notification(OSC9, text), "\x1b]9;chatvault: ")
		inner, ended := strings.CutSuffix(inner, "\a")
		if !found || !ended || strings.IndexFunc(inner, unicode.IsControl) >= 0 {
			t.Fatalf("%q", notification(OSC9, text))
		}
		if n := len([]rune(inner)); n > 8*maxText {
			t.Fatalf("%d characters", n)
		}
		tmux := notification(OSC9Tmux, text)
		if want := "\x1bPtmux;\x1b\x1b]9;chatvault: " + inner + "\a\x1b\\"; tmux != want {
			t.Fatalf("%q, want %q", tmux, want)
		}
	})
}

// A new way applies from the next notification.
func TestAnotherWay(t *testing.T) {
	var out bytes.Buffer
	w := New(&out, Abilities{Way: Bell, Title: true})
	w.Begin()
	for _, step := range []struct {
		way  Way
		want string
	}{{Silent, ""}, {OSC9, "\x1b]9;chatvault: done"}, {Bell, bell}} {
		w.Use(Abilities{Way: step.way})
		out.Reset()
		w.Tell("done")
		w.Flush()
		if got := out.String(); step.want == "" && got != "" || !strings.HasPrefix(got, step.want) {
			t.Errorf("way %v: %q, want %q", step.way, got, step.want)
		}
	}
	out.Reset()
	if w.End(); !strings.Contains(out.String(), popTitle) {
		t.Error("the title is not put back")
	}
}
