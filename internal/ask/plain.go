package ask

import (
	"fmt"
	"io"
	"strings"

	"chatvault/agent/event"
	"chatvault/internal/consent"
	"chatvault/internal/session"
	"chatvault/tools"
)

// plainPrinter prints the answer to out as it comes, and everything else to err.
type plainPrinter struct {
	out, err io.Writer
	open     bool           // the current line of out has text
	gap      bool           // text of an earlier step is on out: an empty line comes before the next
	consent  *consent.Asker // asks the user at the terminal; nil if there is none
}

func (p *plainPrinter) event(was *session.State, e event.Event) error {
	switch e := e.(type) {
	case event.Received:
		if e.Queued {
			p.note("Waiting for an earlier message.")
		}
	case event.TextDelta:
		return p.text(e.Text)
	case event.TextDone:
		p.gap = true
		return p.line()
	case event.ToolStarted:
		if !event.TraitsOf(e.Name).Speaks {
			p.note(strings.TrimSpace("→ " + e.Name + helper(was.Turn.Begins(e)) + " " + e.Target))
		}
	case event.ToolFinished:
		if text := p.failure(e); text != "" {
			p.note(" " + helper(was.Turn.Helper(e.ID)) + " " + text)
		}
	case event.AgentMessage:
		mark := "• "
		if e.IsQuestion {
			mark = "? "
		}
		p.note(mark + e.Content + session.OptionLines(e.Options))
	case event.Retry:
		broken := ""
		if was.Turn.Partial {
			broken = " Ignore the answer so far."
		}
		p.note("— " + session.RetryLine(e) + broken)
	case event.TurnFinished:
		return p.line()
	case event.TurnStopped:
		p.note(session.StoppedLine(e))
	case event.TurnFailed:
		p.note("Error: " + e.Text)
	default:
		p.aside(was, e)
	}
	return nil
}

// aside prints events that are not part of the answer.
func (p *plainPrinter) aside(was *session.State, e event.Event) {
	switch e := e.(type) {
	case event.TaskList:
		for _, task := range session.NewTasks(was.Tasks, e.Items) {
			box := "☐ "
			if task.Done {
				box = "☑ "
			}
			p.note(box + task.Text)
		}
	case event.Nested:
		p.nested(helper(was.Turn.Helper(e.CallID)), e.Event)
	case event.Requested:
		p.requested(e.Request)
	case event.RequestEnded:
		if p.consent != nil {
			p.consent.Ended(e)
		}
	default:
		if line := session.Remark(was, e); line != "" {
			p.note(line)
		}
	}
}

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

// helper labels a sub-agent with its number, as several run concurrently.
func helper(number int) string {
	if number == 0 {
		return ""
	}
	return fmt.Sprintf(" [%d]", number)
}

// nested prints a step of a sub-agent, indented.
func (p *plainPrinter) nested(helper string, e event.Event) {
	in := " " + helper + " "
	switch e := e.(type) {
	case event.ToolStarted:
		p.note(in + "→ " + strings.TrimSpace(e.Name+" "+e.Target))
	case event.ToolFinished:
		if text := p.failure(e); text != "" {
			p.note(in + "  " + text)
		}
	case event.Retry:
		p.note(in + "— " + session.RetryLine(e))
	case event.Notice:
		p.note(in + strings.ReplaceAll(e.Text, "\n", "\n"+in))
	}
}

// failure returns why a call failed, or "" if that was already printed.
func (p *plainPrinter) failure(e event.ToolFinished) string {
	if e.Denied() && p.consent == nil {
		return ""
	}
	return session.FailureLine(e)
}

func (p *plainPrinter) text(s string) error {
	if s == "" {
		return nil
	}
	if p.gap {
		s, p.gap = "\n"+s, false
	}
	p.open = !strings.HasSuffix(s, "\n")
	_, err := io.WriteString(p.out, s)
	return err
}

// line ends the current line of out.
func (p *plainPrinter) line() error {
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
