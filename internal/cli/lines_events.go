package cli

import (
	"fmt"
	"io"
	"strings"

	"chatvault/agent/event"
	"chatvault/internal/terminal"
	"chatvault/tools"
)

// linePrinter writes the chat as plain lines, in the order in which things happen: nothing is
// drawn again, nothing moves the cursor, every line begins with a word for what it is.
type linePrinter struct {
	out      io.Writer
	prompted bool // the line under way is a prompt
	answer   speech
	speaking bool // the answer under way has a line already
	spoke    bool // the turn said something
	helpers  []string
	tasks    []tools.TaskItem
	goal     event.Goal
	targets  map[string]string // of calls that run, by id
}

// say writes a line, or several.
func (p *linePrinter) say(text string) {
	if p.prompted {
		p.prompted = false
		p.raw("\n")
	}
	p.raw(terminal.Text(text) + "\n")
}

// prompt writes a prompt, and leaves the line to what is typed.
func (p *linePrinter) prompt(text string) {
	p.raw(text)
	p.prompted = true
}

// echo ends a prompt's line: with what was read, where nobody sees that otherwise.
func (p *linePrinter) echo(text string, seen bool) {
	if p.prompted && !seen {
		p.raw(terminal.Line(text) + "\n")
	}
	p.prompted = false
}

func (p *linePrinter) raw(text string) { _, _ = io.WriteString(p.out, text) }

// speak writes lines of the answer; its first one says that it is.
func (p *linePrinter) speak(lines []string) {
	for _, l := range lines {
		if !p.speaking {
			if strings.TrimSpace(l) == "" {
				continue
			}
			p.speaking, p.spoke = true, true
			l = "Assistant: " + l
		}
		p.say(l)
	}
}

// quiet ends the answer under way.
func (p *linePrinter) quiet() {
	p.speak(p.answer.end())
	p.speaking = false
}

// event writes what is to be said of an event.
func (p *linePrinter) event(e event.Event) {
	if d, ok := e.(event.TextDelta); ok {
		p.speak(p.answer.add(d.Text))
		return
	}
	switch e := e.(type) {
	case event.ReasoningDelta, event.ToolCallDelta, event.UsageReported, event.StateChanged:
		return
	case event.Retry:
		void := ""
		if p.speaking {
			void = " What was said of this answer is void."
		}
		p.answer, p.speaking = speech{}, false
		p.say("Retry: " + strings.TrimPrefix(retryLine(e), "— ") + void)
		return
	}
	p.quiet()
	switch e := e.(type) {
	case event.Received:
		if e.Queued {
			p.say("Queued: it goes on to the agent as soon as it can.")
		}
	case event.Waiting:
		p.say("Waiting for " + e.For + ".")
	case event.ToolStarted:
		p.started(e)
	case event.ToolFinished:
		p.ended(e)
	case event.AgentMessage:
		p.message(e)
	case event.TurnStarted:
		p.helpers, p.spoke = nil, false
	case event.TurnFinished:
		if !p.spoke && e.Response != "" { // it came without being streamed
			p.speak(p.answer.add(e.Response))
			p.quiet()
		}
	case event.TurnStopped:
		p.say("Stopped." + did(e.Changed))
		if len(e.Changed) > 0 {
			p.say("/undo takes that back.")
		}
	case event.TurnFailed:
		p.say("Error: " + e.Text + "\n/retry tries the message again.")
	default:
		p.aside(e)
	}
}

// aside writes what stands beside a turn.
func (p *linePrinter) aside(e event.Event) {
	switch e := e.(type) {
	case event.TaskList:
		for _, line := range taskLines(p.tasks, e.Items) {
			p.say(strings.NewReplacer("☐ ", "To do: ", "☑ ", "Done: ").Replace(line))
		}
		p.tasks = e.Items
	case event.Nested:
		p.nested(e)
	case event.CompactStarted:
		p.say("Note: older messages are being summarised, so that the conversation fits the model.")
	case event.Compacted:
		p.say("Note: " + compactedLine(e))
	case event.CompactFailed:
		p.say("Error: older messages were not summarised: " + e.Text)
	case event.GoalChanged:
		if line := goalLine(p.goal, e.Goal); line != "" {
			p.say("Goal: " + strings.TrimPrefix(strings.TrimPrefix(line, "Goal: "), "Goal "))
		}
		p.goal = e.Goal
	case event.Notice:
		p.say("Note: " + e.Text)
	case event.Retrospected:
		p.say("Looking back: the agent thought about what was said; its card is in .smarthole/retrospection.md.")
	default:
		if line := boundaryLine(e); line != "" {
			p.say("Note: " + line)
		}
	}
}

func (p *linePrinter) started(e event.ToolStarted) {
	if p.targets == nil {
		p.targets = map[string]string{}
	}
	p.targets[e.ID] = strings.TrimSpace(e.Name + " " + terminal.Line(e.Target))
	switch {
	case e.Name == delegate:
		p.helpers = append(p.helpers, e.ID)
		p.say(fmt.Sprintf("Helper %d begins: %s", len(p.helpers), terminal.Line(e.Target)))
	case !spoken[e.Name]:
		p.say("Tool: " + p.targets[e.ID])
	}
}

func (p *linePrinter) ended(e event.ToolFinished) {
	name := p.targets[e.ID]
	delete(p.targets, e.ID)
	switch {
	case e.IsError && e.Summary == "denied":
		p.say("Denied: nothing was changed.")
	case e.IsError:
		p.say("Tool failed: " + name + ": " + firstLine(e.Result))
	case !spoken[e.Name] && e.Summary != "":
		p.say("Tool done: " + name + ": " + terminal.Line(e.Summary))
	}
}

func (p *linePrinter) message(e event.AgentMessage) {
	p.spoke = true
	if !e.IsQuestion {
		p.say("Agent: " + e.Content)
		return
	}
	p.say("Question: " + e.Content + optionLines(e.Options))
	if len(e.Options) > 0 {
		p.say("Answer with a number, or in your own words.")
	}
}

func (p *linePrinter) nested(e event.Nested) {
	who := "Helper: "
	for i, id := range p.helpers {
		if id == e.CallID {
			who = fmt.Sprintf("Helper %d: ", i+1)
		}
	}
	switch e := e.Event.(type) {
	case event.ToolStarted:
		p.say(who + strings.TrimSpace(e.Name+" "+terminal.Line(e.Target)))
	case event.ToolFinished:
		if e.IsError {
			p.say(who + "failed: " + firstLine(e.Result))
		}
	case event.Notice:
		p.say(who + e.Text)
	}
}
