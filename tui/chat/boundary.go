package chat

import (
	"strings"

	"chatvault/internal/terminal"
	"chatvault/tui/phrase"
)

// divided is a dividing line, and below it in one quiet line what it is about. With details shown a summary stands
// below that.
type divided struct {
	head    string // of the dividing line; empty: there is none
	name    string // of what ended; empty: nothing did, or it is not known yet
	about   string // what else is said of it
	summary string
	card
}

// Folds says whether it has a summary.
func (d *divided) Folds() bool { return d.summary != "" }

// Lines draws it.
func (d *divided) Lines(width int) []string { return d.get(width, d.draw) }

func (d *divided) draw(width int) []string {
	var out []string
	if d.head != "" {
		out = append(out, rule(d.env, d.head, "", width))
	}
	line := d.about
	if d.name != "" {
		line = phrase.Join("Before: "+d.name, d.about)
	}
	return append(out, d.below(line, d.summary, textWidth(width))...)
}

// Raw is what it is about, and the summary.
func (d *divided) Raw() (string, bool) { return joined(d.head, d.name, d.summary), true }

// Words are all that it says.
func (d *divided) Words(b []byte) []byte { return appendLines(b, d.head, d.name, d.about, d.summary) }

// Boundary is where one conversation ended and another begins: it says what ended.
type Boundary struct{ divided }

// NewBoundary makes a boundary; head is the title of its line. Without one the boundary is what
// ended alone.
func NewBoundary(env *Env, head string) *Boundary {
	return &Boundary{divided{card: card{env: env}, head: terminal.Line(head)}}
}

// Before says what ended: its title or first words, when, and a summary, which may be empty.
func (b *Boundary) Before(name, ended, summary string) {
	b.name, b.about, b.summary = terminal.Line(name), terminal.Line(ended), strings.TrimSpace(terminal.Text(summary))
	b.touch()
}

// Title says how what ended is called by now, and sums it up.
func (b *Boundary) Title(title, summary string) { b.Before(title, b.about, summary) }

// Continued is where a conversation begins that continues another one, below what was carried of that.
type Continued struct{ divided }

// NewContinued makes the item: what the dividing line says, a remark, and the summary of what is
// continued. Either of the last may be empty.
func NewContinued(env *Env, title, about, summary string) *Continued {
	return &Continued{divided{card: card{env: env}, head: terminal.Line(title), about: terminal.Line(about), summary: strings.TrimSpace(terminal.Text(summary))}}
}
