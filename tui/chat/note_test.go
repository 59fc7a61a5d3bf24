package chat

import (
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"chatvault/tui/theme"
)

// A note is drawn like in Obsidian's reading view, without comments; an answer keeps them.
func TestANoteShowsNoComments(t *testing.T) {
	const text = "# Tart\n\nBake it %%ask Anna%% blind.\n\n%%\nnot sure\n\nabout this\n%%\n\n%%alone%%\n\n" +
		"`%%code%%`\n\none\n%%two%%\nthree\n\nfour %%five%%\n\nThe end."
	draw := func(lines []string) string {
		var out []string
		for _, l := range lines {
			out = append(out, strings.TrimRight(ansi.Strip(l), " "))
		}
		return strings.Join(out, "\n")
	}
	env := NewEnv(theme.New(theme.Dark, colorprofile.TrueColor))
	if got, want := draw(NewNote(env, text, 0, true).Lines(60)), "  Tart\n\n  Bake it blind.\n\n  %%code%%\n\n  one\n  three\n\n  four\n\n  The end."; got != want {
		t.Errorf("the note:\n%s\nwant:\n%s", got, want)
	}
	a := NewAssistant(env)
	a.Append(text)
	a.Finish()
	for _, want := range []string{"%%ask Anna%%", "not sure", "%%alone%%", "%%two%%", "%%five%%"} {
		if got := draw(a.Lines(60)); !strings.Contains(got, want) {
			t.Errorf("the answer lacks %q:\n%s", want, got)
		}
	}
	// The requested line is shown and marked, even in a comment.
	for line, want := range map[int]string{3: "▎ Bake it blind.", 6: "▎ not sure", 11: "▎ %%alone%%", 16: "▎ %%two%%", 19: "▎ four", 21: "▎ The end."} {
		n := NewNote(env, text, line, true)
		lines := n.Lines(60)
		if got := ansi.Strip(lines[n.Row(60)]); strings.TrimRight(got, " ") != want && (line != 6 || !strings.Contains(got, "not sure")) {
			t.Errorf("line %d is marked as %q, want %q", line, got, want)
		}
	}
}
