package chat

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"chatvault/internal/terminal"
	"chatvault/internal/text"
	"chatvault/tui/markdown"
	"chatvault/tui/theme"
)

// Continued is where a conversation begins that continues another one: a dividing line below what
// was carried of that, and in one quiet line what else there is. With details shown the summary
// stands below.
type Continued struct {
	title, about, summary string
	folding
}

// NewContinued makes the item: what the dividing line says, a remark, and the summary of what is
// continued. Either of the last may be empty.
func NewContinued(env *Env, title, about, summary string) *Continued {
	return &Continued{folding: newFolding(env), title: terminal.Line(title), about: terminal.Line(about), summary: strings.TrimSpace(terminal.Text(summary))}
}

// Folds says whether it has a summary.
func (c *Continued) Folds() bool { return c.summary != "" }

// Lines draws it.
func (c *Continued) Lines(width int) []string { return c.lines(width, c.draw) }

func (c *Continued) draw(width int) []string {
	s, room := c.env.Styles, textWidth(width)
	muted := theme.Open(s.Muted)
	out := []string{rule(c.env, c.title, "", width)}
	line := c.about
	if !c.open && c.summary != "" {
		if line += " — "; c.about == "" {
			line = ""
		}
		line += text.OneLine(c.summary)
	}
	switch {
	case line == "":
	case c.open:
		out = append(out, marked(s.Muted.Render("·")+" ", "  ", markdown.Wrap(line, muted, room))...)
	default:
		out = append(out, s.Muted.Render("· "+ansi.Truncate(line, room, "…")))
	}
	if c.open && c.summary != "" {
		bar := s.Muted.Render("┊") + " "
		out = append(out, marked(bar, bar, markdown.Wrap(c.summary, muted, room))...)
	}
	return out
}
