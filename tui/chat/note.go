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

	row   int // of the line that is asked for
	plain bool
	busy  bool
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

// Lines draws it; a long one is drawn plainly until Job has drawn it.
func (n *Note) Lines(width int) []string {
	return n.get(width, func(width int) []string {
		n.plain = n.format && len(n.text) > maxAtOnce
		if n.format && !n.plain {
			return n.take(n.render(n.env.Renderer(textWidth(width))))
		}
		lines, row := markdown.Wrap(n.text, "", textWidth(width)), 0
		if n.asked >= 0 {
			row = min(len(markdown.Wrap(n.text[:n.asked]+"-", "", textWidth(width))), len(lines)) - 1
		}
		return n.take(lines, row)
	})
}

// Row is the row, from 0, of the line that is asked for; 0 where none is.
func (n *Note) Row(width int) int {
	n.Lines(width)
	return n.row
}

// render draws it as Markdown.
func (n *Note) render(r *markdown.Renderer) (lines []string, row int) {
	if r = r.Reading(); n.asked < 0 {
		return r.Render(n.text), 0
	}
	return r.Find(n.text, n.asked)
}

// take puts drawn lines into the item's columns.
func (n *Note) take(lines []string, row int) []string {
	n.row = row
	lines = marked("  ", "  ", lines)
	if n.asked >= 0 && len(lines) > 0 {
		lines[row] = n.env.Styles.AccentBold.Render("▎") + " " + strings.TrimPrefix(lines[row], "  ")
	}
	return lines
}

// Job draws a long one as Markdown.
func (n *Note) Job() func() func() {
	if !n.plain || n.busy {
		return nil
	}
	n.busy = true
	width, look, r := n.width, n.look, n.env.Renderer(textWidth(n.width))
	return func() func() {
		lines, row := n.render(r)
		return func() {
			n.busy = false
			if n.width == width && n.look == look {
				n.plain = false
				n.lines = clip(n.take(lines, row), width)
			}
		}
	}
}
