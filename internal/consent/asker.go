// Package consent asks a person on behalf of a turn where there is no screen. It prints requests so that no note can
// imitate a question, and parses the answers.
package consent

import (
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"chatvault/agent/event"
	"chatvault/internal/routine"
	"chatvault/internal/session"
	"chatvault/internal/terminal"
	"chatvault/internal/terminal/output"
)

// Settle is how long a question must be visible before it accepts an answer: what was typed earlier was not meant for
// it.
const Settle = 500 * time.Millisecond

// Asker asks the user at the terminal.
type Asker struct {
	err    *output.Writer
	input  *Input
	answer func(id string, a event.Answer) error
}

// NewAsker returns an Asker that prints to err and reads answers from in.
func NewAsker(err *output.Writer, in io.Reader, answer func(id string, a event.Answer) error) *Asker {
	return &Asker{err: err, input: NewInput(in), answer: answer}
}

// Requested shows a request and waits for the answer in the background.
func (c *Asker) Requested(r event.Request) {
	if r.Kind == event.RequestSecret {
		c.input.Hide() // from here on, so that a key pasted early is not shown either
	}
	fmt.Fprint(c.err, RequestText(r, c.err.Width(), false))
	routine.Go("consent", func() {
		defer func() {
			if v := recover(); v != nil { // without an answer the turn waits until it is stopped
				fmt.Fprintf(c.err, "The question could not be asked (%v); Ctrl+C ends the turn.\n", v)
			}
		}()
		time.Sleep(Settle)
		discardInput(c.input.fd) // without a terminal nothing is dropped
		c.ask(r)
	})
}

// Ended restores the terminal when the answer is no longer needed.
func (c *Asker) Ended(e event.RequestEnded) {
	c.input.Restore()
	if e.Decision == event.Withdrawn {
		fmt.Fprintln(c.err)
	}
}

// ask asks until an answer is accepted.
func (c *Asker) ask(r event.Request) {
	d := NewDialog(r, c.err.Width())
	for {
		fmt.Fprint(c.err, d.Prompt())
		line, err := c.input.read(r.Kind == event.RequestSecret)
		a, done, text := event.Answer{Decision: event.Deny}, true, ""
		if err != nil || r.Kind == event.RequestSecret {
			fmt.Fprintln(c.err)
		}
		if err == nil {
			a, done, text = d.Take(line)
		}
		if done {
			err := c.answer(r.ID, a)
			if err == nil || a.Decision == event.Deny { // if not even a refusal is accepted, it is over
				return
			}
			d, text = NewDialog(r, c.err.Width()), terminal.Line("Not accepted: "+err.Error()+".")
		}
		fmt.Fprintln(c.err, strings.Trim(text, "\n"))
	}
}

// RequestText describes a request for a terminal of width cells, sanitized: nothing can hide a part of it, and no
// line can imitate the question. A long detail is truncated unless all is set.
func RequestText(r event.Request, width int, all bool) string {
	var b strings.Builder
	head := func(text string) { b.WriteString("\n" + gutter("", terminal.StrictLine(text), width)) }
	switch r.Kind {
	case event.RequestApproval:
		head("The agent wants to " + session.ChangeText(r.Change))
		if r.Change.Detail != "" {
			most := session.ShownDetail
			if all {
				most = math.MaxInt
			}
			b.WriteString(gutter("  ", session.Begins(r.Change.Detail, most, " (s shows all)"), width))
		}
		b.WriteString(ChangeRows(r.Change, width))
		if unseen := session.Unseen(r.Change); unseen != "" {
			b.WriteString(gutter("  ", unseen+".", width))
		}
	case event.RequestSecret:
		head("A key is needed: " + r.Name)
	default:
		head("A setting is needed: " + r.Name)
	}
	if r.Text != "" {
		b.WriteString(gutter("  ", terminal.Strict(r.Text), width))
	}
	return b.String()
}
