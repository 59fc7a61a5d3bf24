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
	"chatvault/tools"
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
	for {
		a, again := c.once(r)
		if again == "" {
			err := c.answer(r.ID, a)
			if err == nil {
				return
			}
			again = "Not accepted: " + err.Error() + "."
			if a.Decision == event.Deny { // not even a refusal is accepted: it is over
				return
			}
		}
		fmt.Fprintln(c.err, terminal.Line(again))
	}
}

// once asks once. again is why the answer is invalid.
func (c *Asker) once(r event.Request) (a event.Answer, again string) {
	switch r.Kind {
	case event.RequestApproval:
		inParts := ""
		if r.Change.Pick {
			inParts = fmt.Sprintf("[p]art by part (%d), ", len(r.Change.Prose.Hunks))
		}
		if r.Change.Kind == tools.ChangeTool {
			inParts = "[f]or good, until it changes, "
		}
		if IsLong(r) {
			inParts += "[s]how all, "
		}
		fmt.Fprintf(c.err, "Allow this? [y]es, [N]o, %s[a]ll of this kind until this command ends, or: no, because… ", inParts)
		line, err := c.input.Line()
		if err != nil {
			fmt.Fprintln(c.err)
			return event.Answer{Decision: event.Deny}, ""
		}
		if r.Change.Pick && WantsParts(line) {
			return c.parts(r), ""
		}
		if IsLong(r) && WantsAll(line) {
			fmt.Fprint(c.err, RequestText(r, c.err.Width(), true))
			return c.once(r)
		}
		return Parse(line)
	case event.RequestSecret:
		c.input.Hide()
		fmt.Fprintf(c.err, "%s (hidden; empty to skip): ", terminal.StrictLine(r.Name))
		value, err := c.input.Masked()
		fmt.Fprintln(c.err)
		return Providing(value, err), ""
	default:
		fmt.Fprintf(c.err, "%s (empty to skip): ", terminal.StrictLine(r.Name))
		value, err := c.input.Line()
		return Providing(value, err), ""
	}
}

// Providing returns the answer for a typed value. err is the error of reading it.
func Providing(value string, err error) event.Answer {
	if value = strings.TrimSpace(value); err != nil || value == "" {
		return event.Answer{Decision: event.Deny}
	}
	return event.Answer{Decision: event.Provide, Value: value}
}

// Parse parses an answer to a change. Only a plain yes allows it; several words are a refusal with a reason. again is
// why the answer is invalid.
func Parse(line string) (a event.Answer, again string) {
	line = strings.TrimSpace(line)
	word, rest, more := cutWord(line)
	switch word {
	case "":
		return event.Answer{Decision: event.Deny}, ""
	case "y", "yes":
		if !more {
			return event.Answer{Decision: event.AllowOnce}, ""
		}
	case "a", "always":
		if !more {
			return event.Answer{Decision: event.AllowConversation}, ""
		}
	case "f", "good", "forever":
		if !more {
			return event.Answer{Decision: event.AllowAlways}, ""
		}
	case "n", "no":
		return event.Answer{Decision: event.Deny, Note: rest}, ""
	}
	if !more {
		return a, "Type y to allow it, a to allow everything of this kind until this command ends, n to deny it, or n and a reason."
	}
	return event.Answer{Decision: event.Deny, Note: line}, ""
}

// IsLong reports whether a request is truncated at first.
func IsLong(r event.Request) bool { return len(terminal.Strict(r.Change.Detail)) > session.ShownDetail }

// WantsAll reports whether an answer asks to see the whole request.
func WantsAll(line string) bool {
	word, _, more := cutWord(strings.TrimSpace(line))
	return (word == "s" || word == "show") && !more
}

// WantsParts reports whether an answer asks to decide part by part.
func WantsParts(line string) bool {
	word, _, more := cutWord(strings.TrimSpace(line))
	return (word == "p" || word == "parts") && !more
}

// cutWord splits off the first word of a line, in lower case, and the comma or colon after it.
func cutWord(line string) (word, rest string, more bool) {
	end := strings.IndexFunc(line, func(r rune) bool { return strings.ContainsRune(" \t,;:", r) })
	if end < 0 {
		return strings.ToLower(strings.TrimRight(line, ".!")), "", false
	}
	rest = strings.TrimLeft(line[end:], " \t,;:")
	return strings.ToLower(line[:end]), rest, rest != ""
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
