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
	open     bool           // the current line of out has text
	gap      bool           // text of an earlier step is on out: an empty line comes before the next
	typed    io.Writer      // for an Answered, without any other text; nil if the answer is text
	answered bool           // typed has the answer
	consent  *consent.Asker // asks the user at the terminal; nil if there is none

	styled  io.Writer        // out for drawn text
	render  func() Rendering // nil if the text is printed as it is
	drawing Rendering        // of the current text; nil between texts
}

// Rendering draws a text as it arrives. Both methods return what is to be printed next: complete lines with styles.
type Rendering interface {
	Append(text string) string
	Finish() string
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

func (p *plainPrinter) text(s string) error {
	if s == "" {
		return nil
	}
	if p.render != nil {
		return p.draw(s)
	}
	if p.gap {
		s, p.gap = "\n"+s, false
	}
	p.open = !strings.HasSuffix(s, "\n")
	_, err := io.WriteString(p.out, s)
	return err
}

// draw prints what is final of a text after its next piece.
func (p *plainPrinter) draw(piece string) error {
	if p.drawing == nil {
		p.drawing = p.render()
	}
	return p.drawn(p.drawing.Append(piece))
}

func (p *plainPrinter) drawn(lines string) error {
	if lines == "" {
		return nil
	}
	if p.gap {
		lines, p.gap = "\n"+lines, false
	}
	_, err := io.WriteString(p.styled, lines)
	return err
}

// line ends the current line of out, or the text that is being drawn.
func (p *plainPrinter) line() error {
	if p.drawing != nil {
		rest := p.drawing.Finish()
		p.drawing = nil
		return p.drawn(rest)
	}
	if !p.open {
		return nil
	}
	p.open = false
	_, err := io.WriteString(p.out, "\n")
	return err
}

func (p *plainPrinter) note(s string) {
	_ = p.line()
	fmt.Fprintln(p.err, s)
}
