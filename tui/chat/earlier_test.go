package chat

import (
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"chatvault/internal/base/cells"
	"chatvault/tui/theme"
)

func TestEarlier(t *testing.T) {
	env := NewEnv(theme.New(theme.Dark, colorprofile.TrueColor))
	e := NewEarlier(env)
	for _, step := range []struct {
		do   func()
		want string
	}{
		{func() {}, "↑ Earlier messages"},
		{func() { e.State = "…" }, "↑ Earlier messages…"},
		{func() { e.State = ": no \x1bdisk" }, "↑ Earlier messages: no ␛disk"},
		{func() { e.State = "…" }, "↑ Earlier messages…"},
		{func() { e.State = "" }, "↑ Earlier messages"},
	} {
		step.do()
		if got := ansi.Strip(strings.Join(e.Lines(100), "\n")); got != step.want {
			t.Errorf("%q, want %q", got, step.want)
		}
	}
	e.State = ": no disk"
	for _, details := range []bool{true, false} {
		env.Details = details
		for width := 1; width < 100; width++ {
			for _, line := range e.Lines(width) {
				if w := cells.Width(line); w > width {
					t.Errorf("%d cells in %d: %q", w, width, line)
				}
			}
		}
	}
}
