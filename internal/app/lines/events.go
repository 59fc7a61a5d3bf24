package lines

import (
	"io"
	"strings"

	"chatvault/agent/event"
	"chatvault/internal/app/printed"
	"chatvault/internal/app/session"
	"chatvault/internal/base/terminal"
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
	switch e := e.(type) {
	case event.TextDelta:
		p.speak(p.answer.add(e.Text))
		return
	case event.PromptRead, event.ReasoningDelta, event.ToolCallDelta, event.UsageReported, event.StateChanged, event.Suggested:
		return
	case event.Retry:
		p.answer, p.speaking = speech{}, false
	default:
		p.quiet()
	}
	if line := printed.Line(was, e); line != "" {
		p.say(line)
	}
	switch e := e.(type) {
	case event.ToolFinished:
		if c := was.Turn.Call(e.ID); !e.IsError && !event.TraitsOf(e.Name).Speaks && e.Summary != "" {
			p.say("Tool done: " + printed.Called(c.Name, c.Target) + ": " + terminal.Line(e.Summary))
		}
	case event.AgentMessage:
		if len(e.Options) > 0 {
			p.say("Answer with a number, or in your own words.")
		}
	case event.TurnFinished:
		if !was.Turn.Spoke && e.Response != "" { // it was not streamed
			p.speak(p.answer.add(e.Response))
			p.quiet()
		}
	case event.TurnStopped:
		if len(e.Changed) > 0 {
			p.say("/undo reverts that.")
		}
	case event.TurnFailed:
		p.say("/retry tries the message again.")
	}
}

// speech splits streamed text into lines and removes control sequences.
type speech struct {
	safe terminal.Sanitizer
	held string
}

// add adds a piece and returns the completed lines.
func (s *speech) add(piece string) []string {
	lines := strings.Split(s.held+s.safe.Write(piece), "\n")
	s.held = lines[len(lines)-1]
	return lines[:len(lines)-1]
}

// end returns the remaining text.
func (s *speech) end() []string {
	s.held += s.safe.Flush()
	out := s.add("\n")
	*s = speech{}
	return out
}
