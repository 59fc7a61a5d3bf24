package chat

import (
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"chatvault/tui/theme"
)

// The requested line is marked, also as plain text.
func TestNoteMarksTheLine(t *testing.T) {
	const text = "# Tart\n\nBake it blind.\n\none\ntwo\n\nThe end."
	env := NewEnv(theme.New(theme.Dark, colorprofile.TrueColor))
	for line, want := range map[int]string{3: "▎ Bake it blind.", 6: "▎ two", 8: "▎ The end."} {
		for _, format := range []bool{true, false} {
			n := NewNote(env, text, line, format)
			lines := n.Lines(60)
			if got := ansi.Strip(lines[n.Row(60)]); strings.Join(strings.Fields(got), " ") != want {
				t.Errorf("line %d is marked as %q, want %q", line, got, want)
			}
		}
	}
}
