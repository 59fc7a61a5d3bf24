package ask

import (
	"fmt"
	"io"
	"strings"

	"chatvault/agent/event"
	"chatvault/internal/app/consent"
	"chatvault/internal/app/printed"
	"chatvault/internal/app/session"
	"chatvault/tools"
)

// plainPrinter prints the answer to out as it comes, and everything else to err.
type plainPrinter struct {
	out, err io.Writer
	gap      bool           // text of an earlier step is on out: an empty line comes before the next
	typed    io.Writer      // for an Answered, without any other text; nil if the answer is text
	answered bool           // typed has the answer
	consent  *consent.Asker // asks the user at the terminal; nil if there is none

	render  func() Rendering
	drawing Rendering // of the current text; nil between texts
}

// Rendering draws a text as it arrives. Both methods return what is to be printed next; the last ends a line.
type Rendering interface {
	Append(text string) string
	Finish() string
}

// asIs is a Rendering that leaves a text unchanged.
type asIs struct {
	open bool // the current line has text
}

func (a *asIs) Append(text string) string {
	a.open = !strings.HasSuffix(text, "\n")
	return text
}

func (a *asIs) Finish() string {
	if a.open {
		return "\n"
	}
	return ""
}

func (p *plainPrinter) event(was *session.State, e event.Event) error {
	switch e := e.(type) {
	case event.Answered:
		if p.typed == nil {
			return nil
		}
		p.answered = true
		_, err := fmt.Fprintf(p.typed, "%s\n", e.Value)
		return err
	case event.TextDelta:
		return p.text(e.Text)
	case event.TextDone:
		err := p.line()
		p.gap = true
		return err
	case event.TurnFinished:
		if p.typed != nil && !p.answered && !e.IsWaitingForResponse && e.Response != "" {
			p.note("The model answered: " + e.Response)
		}
		return p.line()
	case event.Requested:
		p.requested(e.Request)
		return nil
	case event.RequestEnded:
		if p.consent != nil {
			p.consent.Ended(e)
		}
		return nil
	case event.Nested:
		if f, ok := e.Event.(event.ToolFinished); ok && p.printed(f) {
			return nil
		}
	case event.ToolFinished:
		if p.printed(e) {
			return nil
		}
	}
	if line := printed.Line(was, e); line != "" {
		p.note(line)
	}
	return nil
}

// printed reports whether a failure was printed with its request.
func (p *plainPrinter) printed(e event.ToolFinished) bool { return e.Denied() && p.consent == nil }

// requested asks the user, or reports that no user can be asked.
func (p *plainPrinter) requested(r event.Request) {
	switch {
	case p.consent != nil:
		_ = p.line()
		p.consent.Requested(r)
	case r.Kind == event.RequestApproval:
		p.note(refusedText(r.Change))
	}
}

// refusedText reports that a change was denied because no user could be asked, with advice.
func refusedText(p tools.Proposal) string {
	if p.Kind == tools.ChangeTool {
		return "Not allowed: to " + session.ChangeText(p) + ". Nobody can be asked here; allow it permanently in the chat."
	}
	return "Not allowed: to " + session.ChangeText(p) + ". Nobody can be asked here; --approve allows every change."
}

// text prints what is final of a text after its next piece.
func (p *plainPrinter) text(piece string) error {
	if piece == "" {
		return nil
	}
	if p.drawing == nil {
		p.drawing = p.render()
	}
	return p.print(p.drawing.Append(piece))
}

// line prints the rest of the current text.
func (p *plainPrinter) line() error {
	if p.drawing == nil {
		return nil
	}
	rest := p.drawing.Finish()
	p.drawing = nil
	return p.print(rest)
}

func (p *plainPrinter) print(text string) error {
	if text == "" {
		return nil
	}
	if p.gap {
		text, p.gap = "\n"+text, false
	}
	_, err := io.WriteString(p.out, text)
	return err
}

func (p *plainPrinter) note(s string) {
	_ = p.line()
	fmt.Fprintln(p.err, s)
}
