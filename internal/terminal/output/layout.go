package output

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"chatvault/internal/terminal"
)

// Text is text as it is printed, for what is laid out before: by its lines and their width.
func (w *Writer) Text(text string) string {
	if w.IsTerminal() {
		return terminal.Text(text)
	}
	return text
}

// Hang begins each further line of a text with spaces, and breaks those that are too long for width.
func Hang(text, spaces string, width int) string {
	text = strings.TrimSpace(text)
	if room := width - len(spaces) - 1; width > 0 && room > 0 {
		const fixed = "\u2011" // what is typed is not broken at its hyphens
		text = strings.ReplaceAll(ansi.Wrap(strings.ReplaceAll(text, "-", fixed), room, "/"), fixed, "-")
	}
	return strings.ReplaceAll(text, "\n", "\n"+spaces)
}
