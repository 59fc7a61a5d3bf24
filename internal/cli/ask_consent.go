package cli

import (
	"fmt"
	"strings"
	"time"

	"chatvault/agent/event"
	"chatvault/internal/routine"
	"chatvault/internal/session"
	"chatvault/internal/terminal"
	"chatvault/internal/terminal/output"
	"chatvault/tools"
)

// settle is how long a question is to be seen before it takes an answer: what was typed before
// it came was not meant for it.
const settle = 500 * time.Millisecond

// consent asks the person at the terminal what a turn asks the user, on stderr.
type consent struct {
	err    *output.Writer
	input  *prompt
	answer func(id string, a event.Answer) error
}

// newConsent is nil where nobody can be asked: `ask` prints for a program, or no person sits at
// both ends.
func newConsent(s Streams, asJSON bool, answer func(string, event.Answer) error) *consent {
	if asJSON || !s.attended() {
		return nil
	}
	return &consent{err: s.Err, input: newPrompt(s.In), answer: answer}
}

// attended says whether a person reads stderr and types on stdin.
func (s Streams) attended() bool { return s.InIsTerminal && s.Err.IsTerminal() }

// requested shows a request and asks for the answer, beside the printing of what goes on.
func (c *consent) requested(r event.Request) {
	if r.Kind == event.RequestSecret {
		c.input.hide() // from here on: a key that is pasted too early is not shown either
	}
	fmt.Fprint(c.err, requestText(r, c.err.Width()))
	routine.Go("consent", func() {
		defer func() {
			if v := recover(); v != nil { // nobody answers: the turn waits until it is stopped
				fmt.Fprintf(c.err, "The question could not be asked (%v); Ctrl+C ends the turn.\n", v)
			}
		}()
		time.Sleep(settle)
		c.input.discard()
		c.ask(r)
	})
}

// ended gives the terminal back when nobody needs the answer any more.
func (c *consent) ended(e event.RequestEnded) {
	if c == nil {
		return
	}
	c.input.restore()
	if e.Decision == event.Withdrawn {
		fmt.Fprintln(c.err)
	}
}

// ask asks until the answer is one that is taken.
func (c *consent) ask(r event.Request) {
	for {
		a, again := c.once(r)
		if again == "" {
			err := c.answer(r.ID, a)
			if err == nil {
				return
			}
			again = "That was not taken: " + err.Error() + "."
			if a.Decision == event.Deny { // not even a refusal is: it is over
				return
			}
		}
		fmt.Fprintln(c.err, terminal.Line(again))
	}
}

// once asks once; again says why the answer is none.
func (c *consent) once(r event.Request) (a event.Answer, again string) {
	switch r.Kind {
	case event.RequestApproval:
		inParts := ""
		if r.Change.Pick {
			inParts = fmt.Sprintf("[p]art by part (%d), ", len(r.Change.Prose.Hunks))
		}
		fmt.Fprintf(c.err, "Allow this? [y]es, [N]o, %s[a]ll of its kind until this command ends, or: no, because… ", inParts)
		line, err := c.input.line()
		if err != nil {
			fmt.Fprintln(c.err)
			return event.Answer{Decision: event.Deny}, ""
		}
		if r.Change.Pick && wantsParts(line) {
			return c.parts(r), ""
		}
		return parseConsent(line)
	case event.RequestSecret:
		c.input.hide()
		fmt.Fprintf(c.err, "%s (not shown; empty: do without): ", terminal.StrictLine(r.Name))
		value, err := c.input.masked()
		fmt.Fprintln(c.err)
		return providing(value, err), ""
	default:
		fmt.Fprintf(c.err, "%s (empty: do without): ", terminal.StrictLine(r.Name))
		value, err := c.input.line()
		return providing(value, err), ""
	}
}

func providing(value string, err error) event.Answer {
	if value = strings.TrimSpace(value); err != nil || value == "" {
		return event.Answer{Decision: event.Deny}
	}
	return event.Answer{Decision: event.Provide, Value: value}
}

// parseConsent reads an answer to whether a change may happen. Nothing but a plain yes allows
// it; several words are a refusal and its reason. again says why the answer is none.
func parseConsent(line string) (a event.Answer, again string) {
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
	case "n", "no":
		return event.Answer{Decision: event.Deny, Note: rest}, ""
	}
	if !more {
		return a, "Type y to allow it, a to allow all of its kind until this command ends, n to deny it, or n and why."
	}
	return event.Answer{Decision: event.Deny, Note: line}, ""
}

// wantsParts says whether an answer asks for the parts one by one.
func wantsParts(line string) bool {
	word, _, more := cutWord(strings.TrimSpace(line))
	return (word == "p" || word == "parts") && !more
}

// cutWord takes the first word off a line, in lower case, and the comma or colon after it.
func cutWord(line string) (word, rest string, more bool) {
	end := strings.IndexFunc(line, func(r rune) bool { return strings.ContainsRune(" \t,;:", r) })
	if end < 0 {
		return strings.ToLower(strings.TrimRight(line, ".!")), "", false
	}
	rest = strings.TrimLeft(line[end:], " \t,;:")
	return strings.ToLower(line[:end]), rest, rest != ""
}

// requestText is what a person has to know of a request, made safe for a terminal of width cells:
// nothing that would hide a part of it does, and no line of it can pass for the question.
func requestText(r event.Request, width int) string {
	var b strings.Builder
	head := func(text string) { b.WriteString("\n" + gutter("", terminal.StrictLine(text), width)) }
	switch r.Kind {
	case event.RequestApproval:
		head("The agent wants to " + session.ChangeText(r.Change))
		if r.Change.Detail != "" {
			b.WriteString(gutter("  ", terminal.StrictLine(r.Change.Detail), width))
		}
		b.WriteString(changeRows(r.Change, width))
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

// refusedText says that a change was denied because nobody could be asked, and what to do.
func refusedText(p tools.Proposal) string {
	return "Not allowed: to " + session.ChangeText(p) + ". Nobody can be asked here; with --approve every change is allowed."
}
