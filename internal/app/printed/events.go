package printed

import (
	"slices"
	"strings"

	"chatvault/agent/event"
	"chatvault/internal/app/session"
	"chatvault/internal/base/terminal"
	"chatvault/internal/base/text"
)

// Line describes an event for front-ends that print lines in chronological order. It begins with a word for its kind.
// It is empty for text of the answer, requests, and events that a person need not read. was is the state before the
// event.
func Line(was *session.State, e event.Event) string {
	switch e := e.(type) {
	case event.Received:
		if e.Queued {
			return "Queued: it goes to the agent as soon as possible."
		}
	case event.Retry:
		line := "Retry: " + session.RetryLine(e)
		if was.Turn.Partial {
			line += " Ignore the answer so far."
		}
		return line
	case event.ToolStarted:
		if !event.TraitsOf(e.Name).Speaks {
			return "Tool: " + Called(e.Name, e.Target)
		}
	case event.ToolFinished:
		switch c := was.Turn.Call(e.ID); {
		case e.Denied():
			return session.FailureLine(e)
		case e.IsError:
			return "Tool failed: " + Called(c.Name, c.Target) + ": " + session.FailureLine(e)
		}
	case event.AgentMessage:
		if !e.IsQuestion {
			return "Agent: " + e.Content
		}
		return "Question: " + e.Content + session.OptionLines(e.Options)
	case event.TurnStopped:
		return session.StoppedLine(e)
	case event.TurnFailed:
		return "Error: " + e.Text
	case event.TaskList:
		var lines []string
		for _, task := range e.Items {
			if slices.Contains(was.Tasks, task) {
				continue
			}
			box := "To do: "
			if task.Done {
				box = "Done: "
			}
			lines = append(lines, box+text.OneLine(task.Text))
		}
		return strings.Join(lines, "\n")
	case event.Nested:
		task := text.Clip(terminal.Line(was.Turn.Call(e.CallID).Target), 40)
		return nested(strings.TrimSuffix("Helper ("+task+")", " ()")+": ", e.Event)
	case event.GoalChanged, event.ArtifactChanged, event.Attached: // the line names its kind
		return session.Remark(was, e)
	default:
		return strings.TrimSuffix("Note: "+session.Remark(was, e), "Note: ")
	}
	return ""
}

// Called describes a tool call.
func Called(name, target string) string { return strings.TrimSpace(name + " " + terminal.Line(target)) }

// nested describes a step of a sub-agent. who has its task, as several run at once.
func nested(who string, e event.Event) string {
	switch e := e.(type) {
	case event.ToolStarted:
		return who + Called(e.Name, e.Target)
	case event.ToolFinished:
		if e.IsError {
			return who + "failed: " + session.FailureLine(e)
		}
	case event.Retry:
		return who + session.RetryLine(e)
	case event.Notice:
		return who + e.Text
	}
	return ""
}
