package chat

import (
	"strings"

	"chatvault/internal/terminal"
	"chatvault/tui/markdown"
)

// Note is a note of the vault, to be read: its Markdown drawn, or its text as it is. The line that
// is asked for has a mark beside it.
type Note struct {
	text   string // made safe
	asked  int    // where in it the line that is asked for begins; -1: none is
	format bool   // it is Markdown

	row int // of the line that is asked for
	card
}

// NewNote makes an item of a note's text. line is the one that is asked for, from 1; 0: none is.
// format says that the text is Markdown.
func NewNote(env *Env, text string, line int, format bool) *Note {
	n := &Note{card: card{env: env}, asked: -1, format: format}
	text = strings.TrimPrefix(text, "\ufeff")
	at := 0
	for i := 1; i < line; i++ {
		next := strings.IndexByte(text[at:], '\n')
		if next < 0 {
			break
		}
		at += next + 1
	}
	before := terminal.Text(text[:at])
	n.text = before + terminal.Text(text[at:])
	if line > 0 {
		n.asked = len(before)
	}
	return n
}

// Lines draws it.
func (n *Note) Lines(width int) []string {
	return n.get(width, func(width int) []string {
		var lines []string
		room := textWidth(width)
		n.row = 0
		switch r := n.env.Renderer(room).Reading(); {
		case n.format && n.asked < 0:
			lines = r.Render(n.text)
		case n.format:
			lines, n.row = r.Find(n.text, n.asked)
		default:
			if lines = markdown.Wrap(n.text, "", room); n.asked >= 0 {
				n.row = min(len(markdown.Wrap(n.text[:n.asked]+"-", "", room)), len(lines)) - 1
			}
		}
		lines = marked("  ", "  ", lines)
		if n.asked >= 0 && len(lines) > 0 {
			lines[n.row] = n.env.Styles.AccentBold.Render("▎") + " " + strings.TrimPrefix(lines[n.row], "  ")
		}
		return lines
	})
}

// Row is the row, from 0, of the line that is asked for; 0 where none is.
func (n *Note) Row(width int) int {
	n.Lines(width)
	return n.row
}
