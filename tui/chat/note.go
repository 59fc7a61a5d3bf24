package chat

import (
	"strings"

	"chatvault/internal/base/terminal"
)

// Note shows a note of the vault, as rendered Markdown or as code, with a mark at the requested line.
type Note struct {
	text  string // Markdown, sanitized
	asked int    // offset of the requested line; -1 for none
	row   int    // of the requested line
	card
}

// NewNote returns an item for a note's text. line is the requested line, from 1, or 0 for none. Without format the
// text is shown as code.
func NewNote(env *Env, text string, line int, format bool) *Note {
	n := &Note{card: card{env: env}, asked: -1}
	text = strings.TrimPrefix(text, "\ufeff")
	at := 0
	for range line - 1 {
		at += strings.IndexByte(text[at:], '\n') + 1
	}
	before, fence := terminal.Text(text[:at]), ""
	if !format {
		fence = strings.Repeat("~", 100) + "\n"
	}
	n.text = fence + before + terminal.Text(text[at:])
	if line > 0 {
		n.asked = len(fence + before)
	}
	return n
}

// Lines implements list.Item.
func (n *Note) Lines(width int) []string {
	return n.get(width, nil, func(width int) []string {
		var lines []string
		lines, n.row = n.env.Renderer(textWidth(width)).Find(n.text, max(n.asked, 0))
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
