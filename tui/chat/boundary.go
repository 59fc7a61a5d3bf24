package chat

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"chatvault/internal/terminal"
	"chatvault/internal/text"
	"chatvault/tui/markdown"
	"chatvault/tui/theme"
)

// Boundary is where one conversation ended and another begins: a dividing line, and in one quiet
// line what ended. With details shown its summary stands below.
type Boundary struct {
	head    string // of the dividing line; empty: there is none
	name    string // of what ended; empty: nothing did, or it is not known yet
	ended   string
	summary string
	folding
}

// NewBoundary makes a boundary; head is the title of its line. Without one the boundary is what
// ended alone.
func NewBoundary(env *Env, head string) *Boundary {
	return &Boundary{folding: newFolding(env), head: terminal.Line(head)}
}

// Before says what ended: its title or first words, when, and a summary, which may be empty.
func (b *Boundary) Before(name, ended, summary string) {
	b.name, b.ended, b.summary = terminal.Line(name), terminal.Line(ended), strings.TrimSpace(terminal.Text(summary))
	b.touch()
}

// Title says how what ended is called by now, and sums it up.
func (b *Boundary) Title(title, summary string) { b.Before(title, b.ended, summary) }

// Ended says whether it tells of something that ended.
func (b *Boundary) Ended() bool { return b.name != "" }

// Folds says whether it has a summary.
func (b *Boundary) Folds() bool { return b.summary != "" }

// Lines draws it.
func (b *Boundary) Lines(width int) []string { return b.lines(width, b.draw) }

func (b *Boundary) draw(width int) []string {
	var out []string
	if b.head != "" {
		out = append(out, rule(b.env, b.head, "", width))
	}
	if b.name == "" {
		return out
	}
	s, room := b.env.Styles, textWidth(width)
	line := "Before: " + b.name
	if b.ended != "" {
		line += " · " + b.ended
	}
	if !b.open {
		if b.summary != "" {
			line += " — " + text.OneLine(b.summary)
		}
		return append(out, s.Muted.Render("· "+ansi.Truncate(line, room, "…")))
	}
	muted := theme.Open(s.Muted)
	out = append(out, marked(s.Muted.Render("·")+" ", "  ", markdown.Wrap(line, muted, room))...)
	if b.summary != "" {
		bar := s.Muted.Render("┊") + " "
		out = append(out, marked(bar, bar, markdown.Wrap(b.summary, muted, room))...)
	}
	return out
}
