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
	"chatvault/internal/app/session"
	"chatvault/internal/base/routine"
	"chatvault/internal/base/terminal"
	"chatvault/internal/base/terminal/output"
)

// Settle is how long a question must be visible before it accepts an answer: what was typed earlier was not meant for
// it.
const Settle = 500 * time.Millisecond

// NotHidden is the reason why no key is requested.
const NotHidden = "This terminal would show the key, so it cannot be typed here: set it as an environment variable."

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
		if err := c.input.Hide(); err != nil { // from here on, so that a key pasted early is not shown either
			fmt.Fprintln(c.err, NotHidden)
			routine.Go("consent", func() { _ = c.answer(r.ID, event.Answer{Decision: event.Deny}) }) // it may be over
			return
		}
	}
	fmt.Fprint(c.err, RequestText(r, c.err.Width(), false))
	routine.Go("consent", func() {
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

// ask asks until an answer is accepted. If the input ends, the request is denied.
func (c *Asker) ask(r event.Request) {
	q := Question{Request: r}
	for {
		fmt.Fprint(c.err, q.Prompt())
		line, err := c.input.Line()
		if err != nil || r.Kind == event.RequestSecret {
			fmt.Fprintln(c.err)
		}
		a, say := event.Answer{Decision: event.Deny}, ""
		if err == nil {
			a, say = q.Answer(line, c.err.Width())
		}
		if say == "" {
			err := c.answer(r.ID, a)
			if err == nil || a.Decision == event.Deny { // if not even a refusal is accepted, it is over
				return
			}
			say = terminal.Line("Not accepted: " + err.Error() + ".")
		}
		fmt.Fprintln(c.err, strings.TrimRight(say, "\n"))
	}
}

// parse parses an answer to a change. Only a plain yes allows it; several words are a refusal with a reason. again is
// why the answer is invalid.
func parse(line string) (a event.Answer, again string) {
	line = strings.TrimSpace(line)
	word, rest, more := cutWord(line)
	switch {
	case word == "":
		return event.Answer{Decision: event.Deny}, ""
	case word == "n" || word == "no":
		return event.Answer{Decision: event.Deny, Note: rest}, ""
	case more:
		return event.Answer{Decision: event.Deny, Note: line}, ""
	case word == "y" || word == "yes":
		return event.Answer{Decision: event.AllowOnce}, ""
	case word == "a" || word == "always":
		return event.Answer{Decision: event.AllowConversation}, ""
	case word == "f" || word == "good" || word == "forever":
		return event.Answer{Decision: event.AllowAlways}, ""
	}
	return a, "Type y to allow it, a to allow all of this kind, n to deny it, or n and a reason."
}

// isLong reports whether a request is truncated at first.
func isLong(r event.Request) bool { return len(terminal.Strict(r.Change.Detail)) > session.ShownDetail }

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
