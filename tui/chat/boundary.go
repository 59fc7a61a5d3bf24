package chat

import (
	"strings"

	"chatvault/internal/terminal"
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
	line := "Before: " + b.name
	if b.ended != "" {
		line += " · " + b.ended
	}
	return append(out, b.below(line, b.summary, textWidth(width))...)
}

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
	out := []string{rule(c.env, c.title, "", width)}
	return append(out, c.below(c.about, c.summary, textWidth(width))...)
}
