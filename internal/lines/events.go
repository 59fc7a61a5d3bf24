package lines

import (
	"fmt"
	"io"
	"strings"

	"chatvault/agent/event"
	"chatvault/internal/session"
	"chatvault/internal/terminal"
)

// linePrinter prints the chat as plain lines, in chronological order: it redraws nothing, does not move the cursor,
// and starts every line with the kind of its content.
type linePrinter struct {
	out      io.Writer
	prompted bool // the current line is a prompt
	answer   speech
	speaking bool // a line of the current answer was printed
}

// say prints one or more lines.
func (p *linePrinter) say(text string) {
	if p.prompted {
		p.prompted = false
		p.raw("\n")
	}
	p.raw(terminal.Text(text) + "\n")
}

// prompt prints a prompt without a line break.
func (p *linePrinter) prompt(text string) {
	p.raw(text)
	p.prompted = true
}

// echo ends a prompt's line, with the input if the user does not see it otherwise.
func (p *linePrinter) echo(text string, seen bool) {
	if p.prompted && !seen {
		p.raw(terminal.Line(text) + "\n")
	}
	p.prompted = false
}

func (p *linePrinter) raw(text string) { _, _ = io.WriteString(p.out, text) }

// speak prints lines of the answer. The first one is labelled.
func (p *linePrinter) speak(lines []string) {
	for _, l := range lines {
		if !p.speaking {
			if strings.TrimSpace(l) == "" {
				continue
			}
			p.speaking = true
			l = "Assistant: " + l
		}
		p.say(l)
	}
}

// quiet ends the current answer.
func (p *linePrinter) quiet() {
	p.speak(p.answer.end())
	p.speaking = false
}

// event prints an event. was is the state before it.
func (p *linePrinter) event(was *session.State, e event.Event) {
	if d, ok := e.(event.TextDelta); ok {
		p.speak(p.answer.add(d.Text))
		return
	}
	switch e := e.(type) {
	case event.PromptRead, event.ReasoningDelta, event.ToolCallDelta, event.UsageReported, event.StateChanged, event.Suggested:
		return
	case event.Retry:
		void := ""
		if p.speaking {
			void = " Ignore the answer so far."
		}
		p.answer, p.speaking = speech{}, false
		p.say("Retry: " + session.RetryLine(e) + void)
		return
	}
	p.quiet()
	switch e := e.(type) {
	case event.Received:
		if e.Queued {
			p.say("Queued: it goes to the agent as soon as possible.")
		}
	case event.ToolStarted:
		p.started(was, e)
	case event.ToolFinished:
		p.ended(was, e)
	case event.AgentMessage:
		p.message(e)
	case event.TurnFinished:
		if !was.Turn.Spoke && e.Response != "" { // it was not streamed
			p.speak(p.answer.add(e.Response))
			p.quiet()
		}
	case event.TurnStopped:
		p.say(session.StoppedLine(e))
		if len(e.Changed) > 0 {
			p.say("/undo reverts that.")
		}
	case event.TurnFailed:
		p.say("Error: " + e.Text + "\n/retry tries the message again.")
	default:
		p.aside(was, e)
	}
}

// aside prints events that are not part of the answer.
func (p *linePrinter) aside(was *session.State, e event.Event) {
	switch e := e.(type) {
	case event.TaskList:
		for _, task := range session.NewTasks(was.Tasks, e.Items) {
			box := "To do: "
			if task.Done {
				box = "Done: "
			}
			p.say(box + task.Text)
		}
	case event.Nested:
		p.nested(was.Turn.Helper(e.CallID), e.Event)
	case event.Attached: // printed when the message was sent
	default:
		line := session.Remark(was, e)
		switch e.(type) {
		case event.GoalChanged, event.ArtifactChanged: // the line names its kind
		default:
			line = strings.TrimSuffix("Note: "+line, "Note: ")
		}
		if line != "" {
			p.say(line)
		}
	}
}

func (p *linePrinter) started(was *session.State, e event.ToolStarted) {
	if n := was.Turn.Begins(e); n > 0 {
		p.say(fmt.Sprintf("Helper %d begins: %s", n, terminal.Line(e.Target)))
	} else if !event.TraitsOf(e.Name).Speaks {
		p.say("Tool: " + called(e.Name, e.Target))
	}
}

// called describes a tool call.
func called(name, target string) string { return strings.TrimSpace(name + " " + terminal.Line(target)) }

func (p *linePrinter) ended(was *session.State, e event.ToolFinished) {
	c := was.Turn.Call(e.ID)
	name := called(c.Name, c.Target)
	switch {
	case e.Denied():
		p.say(session.FailureLine(e))
	case e.IsError:
		p.say("Tool failed: " + name + ": " + session.FailureLine(e))
	case !event.TraitsOf(e.Name).Speaks && e.Summary != "":
		p.say("Tool done: " + name + ": " + terminal.Line(e.Summary))
	}
}

func (p *linePrinter) message(e event.AgentMessage) {
	if !e.IsQuestion {
		p.say("Agent: " + e.Content)
		return
	}
	p.say("Question: " + e.Content + session.OptionLines(e.Options))
	if len(e.Options) > 0 {
		p.say("Answer with a number, or in your own words.")
	}
}

// nested prints a step of the sub-agent with a number.
func (p *linePrinter) nested(number int, e event.Event) {
	who := "Helper: "
	if number > 0 {
		who = fmt.Sprintf("Helper %d: ", number)
	}
	switch e := e.(type) {
	case event.ToolStarted:
		p.say(who + called(e.Name, e.Target))
	case event.ToolFinished:
		if e.IsError {
			p.say(who + "failed: " + session.FailureLine(e))
		}
	case event.Notice:
		p.say(who + e.Text)
	}
}
