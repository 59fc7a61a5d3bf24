package chat

import (
	"strings"

	"chatvault/internal/terminal"
	"chatvault/tui/markdown"
)

// Note shows a note of the vault, as rendered Markdown or as plain text, with a mark at the requested line.
type Note struct {
	text   string // sanitized
	asked  int    // offset of the requested line; -1 for none
	format bool   // render as Markdown

	row int // of the requested line
	card
}

// NewNote returns an item for a note's text. line is the requested line, from 1, or 0 for none. format selects
// Markdown.
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

// Lines implements list.Item.
func (n *Note) Lines(width int) []string {
	return n.get(width, func(width int) []string {
		var lines []string
		room := textWidth(width)
		n.row = 0
		switch r := n.env.Renderer(room); {
		case n.format:
			lines, n.row = r.Find(n.text, max(n.asked, 0))
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

// Row returns the row of the requested line, from 0, or 0 without one.
func (n *Note) Row(width int) int {
	n.Lines(width)
	return n.row
}
