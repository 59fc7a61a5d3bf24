package chat

import (
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"chatvault/tui/theme"
)

func TestContinued(t *testing.T) {
	env := NewEnv(theme.New(theme.Dark, colorprofile.TrueColor))
	c := NewContinued(env, "Continues “The\x1b[2J fence” of Nov 3", "The last 2 turns of 12 were carried over", "It is to be\na metre high.")
	text := func(width int) string { return ansi.Strip(strings.Join(c.Lines(width), "\n")) }
	if got := text(80); got != "── Continues “The␛[2J fence” of Nov 3 "+strings.Repeat("─", 42)+"\n· The last 2 turns of 12 were carried over · It is to be a metre high." {
		t.Errorf("%q", got)
	}
	env.Details = true
	if got := text(80); !strings.HasSuffix(got, "\n· The last 2 turns of 12 were carried over\n┊ It is to be\n┊ a metre high.") {
		t.Errorf("%q", got)
	}
	alone := NewContinued(env, "Continues “x” of today", "", "")
	if got := alone.Lines(60); len(got) != 1 {
		t.Errorf("%q", got)
	}
	e := NewEarlier(env)
	for _, step := range []struct {
		do   func()
		want string
	}{
		{func() {}, "↑ Earlier messages"},
		{e.Reading, "↑ Earlier messages…"},
		{func() { e.Fail("no \x1bdisk") }, "↑ Earlier messages could not be read: no ␛disk. Scrolling up tries again."},
		{e.Reading, "↑ Earlier messages…"},
		{e.Rest, "↑ Earlier messages"},
	} {
		step.do()
		if got := ansi.Strip(strings.Join(e.Lines(100), "\n")); got != step.want {
			t.Errorf("%q, want %q", got, step.want)
		}
	}
	e.Fail("no disk")
	for _, details := range []bool{true, false} {
		env.Details = details
		for width := 1; width < 100; width++ {
			for _, line := range append(append([]string{}, c.Lines(width)...), e.Lines(width)...) {
				if w := ansi.StringWidth(line); w > width {
					t.Errorf("%d cells in %d: %q", w, width, line)
				}
			}
		}
	}
}
