package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"chatvault/agent/event"
	"chatvault/agent/llm"
	"chatvault/tools"
)

// plainPrinter prints the answer to out as it comes, and everything else to err.
type plainPrinter struct {
	out, err io.Writer
	open     bool     // the line of out under way has text
	gap      bool     // text of an earlier step is on out: an empty line comes before the next
	void     bool     // text since the last thinking: a retry would void it
	consent  *consent // asks who sits at the terminal; nil: nobody does
	helpers  []string // calls that began sub-agents, in order
	tasks    []tools.TaskItem
	goal     event.Goal
}

func newPlainPrinter(s Streams) *plainPrinter {
	return &plainPrinter{out: s.Out, err: s.Err}
}

func (p *plainPrinter) event(e event.Event) error {
	switch e := e.(type) {
	case event.Received:
		if e.Queued {
			p.note("Waiting for an earlier message.")
		}
	case event.TurnStarted:
		p.helpers = nil
	case event.StateChanged:
		if e.State == event.StateThinking {
			p.void = false
		}
	case event.TextDelta:
		return p.text(e.Text)
	case event.TextDone:
		p.gap = true
		return p.line()
	case event.ToolStarted:
		if e.Name == delegate {
			p.helpers = append(p.helpers, e.ID)
			p.note(strings.TrimSpace("→ " + e.Name + p.helper(e.ID) + " " + e.Target))
		} else if !spoken[e.Name] {
			p.note("→ " + strings.TrimSpace(e.Name+" "+e.Target))
		}
	case event.ToolFinished:
		if text := p.failure(e); text != "" {
			p.note(" " + p.helper(e.ID) + " " + text)
		}
	case event.AgentMessage:
		mark := "• "
		if e.IsQuestion {
			mark = "? "
		}
		p.note(mark + e.Content + optionLines(e.Options))
	case event.Retry:
		broken := ""
		if p.void {
			broken = " What was printed of this answer is void."
		}
		p.note(retryLine(e) + broken)
	case event.TurnFinished:
		return p.line()
	case event.TurnStopped:
		p.note("Stopped." + did(e.Changed))
	case event.TurnFailed:
		p.note("Error: " + e.Text)
	default:
		p.aside(e)
	}
	return nil
}

// aside prints what stands beside the answer.
func (p *plainPrinter) aside(e event.Event) {
	switch e := e.(type) {
	case event.TaskList:
		for _, line := range taskLines(p.tasks, e.Items) {
			p.note(line)
		}
		p.tasks = e.Items
	case event.Nested:
		p.nested(p.helper(e.CallID), e.Event)
	case event.CompactStarted:
		p.note("Older messages are being summarised, so that the conversation fits the model…")
	case event.Compacted:
		p.note(compactedLine(e))
	case event.GoalChanged:
		if line := goalLine(p.goal, e.Goal); line != "" {
			p.note(line)
		}
		p.goal = e.Goal
	case event.Requested:
		p.requested(e.Request)
	case event.RequestEnded:
		p.consent.ended(e)
	case event.Notice:
		p.note(e.Text)
	default:
		if line := boundaryLine(e); line != "" {
			p.note(line)
		}
	}
}

// boundaryLine tells whoever goes on with a conversation that it is over, or that its question is.
func boundaryLine(e event.Event) string {
	switch e := e.(type) {
	case event.QuestionDropped:
		return "The question “" + firstLine(e.Question) + "” was not answered in time, and is waited for no more."
	case event.ConversationEnded:
		switch e.Reason {
		case "idle":
			return "The conversation before was left a while ago, and has ended. This is a new one."
		case "agent":
			return "The conversation has ended: the next message begins a new one."
		}
	}
	return ""
}

// requested asks the user, or says that nobody can be asked.
func (p *plainPrinter) requested(r event.Request) {
	switch {
	case p.consent != nil:
		_ = p.line()
		p.consent.requested(r)
	case r.Kind == event.RequestApproval:
		p.note(refusedText(r.Change))
	}
}

const delegate = "delegate"

// helper names a sub-agent: several work at the same time, and each line says whose it is.
func (p *plainPrinter) helper(callID string) string {
	if i := slices.Index(p.helpers, callID); i >= 0 {
		return fmt.Sprintf(" [%d]", i+1)
	}
	return ""
}

// nested is a step of a sub-agent, set in.
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
		p.note(in + retryLine(e))
	case event.Notice:
		p.note(in + strings.ReplaceAll(e.Text, "\n", "\n"+in))
	}
}

// failure says why a call failed, without what the model is told to do about it; empty: it did
// not, or all was said when nobody could be asked.
func (p *plainPrinter) failure(e event.ToolFinished) string {
	text := firstLine(e.Result)
	switch {
	case !e.IsError:
		return ""
	case e.Summary == "denied" && p.consent == nil:
		return ""
	case e.Summary == "denied":
		return "Denied: nothing was changed."
	case e.Summary == "not run":
		why, _, _ := strings.Cut(text, ". ")
		return strings.TrimSuffix(why, ".") + "."
	}
	return text
}

func retryLine(e event.Retry) string {
	reason := llm.Cause(e.Code, e.Reason)
	if e.Message != "" {
		reason += ": " + e.Message
	}
	next := "trying again in " + e.Delay.Round(100*time.Millisecond).String()
	if e.Attempt == 1 {
		next = "going on with another provider"
	}
	return fmt.Sprintf("— %s; %s.", reason, next)
}

func (p *plainPrinter) text(s string) error {
	if s == "" {
		return nil
	}
	if p.gap {
		s, p.gap = "\n"+s, false
	}
	p.void = true
	p.open = !strings.HasSuffix(s, "\n")
	_, err := io.WriteString(p.out, s)
	return err
}

// line ends a line of out that is under way.
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

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

func did(changes []string) string {
	if len(changes) == 0 {
		return ""
	}
	return " Before that it " + strings.Join(changes, ", ") + "."
}
