package history

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"chatvault/conversation"
	"chatvault/internal/text"
	"chatvault/tools"
)

// Stop is a turn the user stopped; it is not in the conversation. What it came to is kept for the
// next turn's model, so that “go on, but shorter” means something.
type Stop struct {
	Text     string    `json:"text"` // of the messages; an excerpt where it is very long
	Attached []string  `json:"attached,omitempty"`
	Time     time.Time `json:"time"`
	Changes  []string  `json:"changes,omitempty"`
	Said     string    `json:"said,omitempty"`   // by the agent, what it was just writing too
	Calls    []string  `json:"calls,omitempty"`  // of its tools, oldest first, as stoppedCall makes them
	Pinned   string    `json:"pinned,omitempty"` // the pinned conversation it was in; empty: in the active one
}

// Bounds of what is kept of a stopped turn, in characters, and of what is told of all together.
const (
	maxStoppedText   = 50_000
	maxStoppedSaid   = 6000
	maxStoppedCall   = 200
	maxStoppedCalls  = 30
	maxStoppedTold   = 16_000 // of what was said
	stoppedTextShare = 20     // percent of the model's window that the requests may take
	stoppedShare     = 10     // and what was said
	leastStoppedText = 200    // is told of each request, whatever those after it take
)

// What the model is told of a stopped turn.
const (
	stoppedAttached = "Attached to it: "
	stoppedCalls    = "What you had called by then, with the first line of each result; call again what matters:"
	stoppedSaid     = "What you had said by then:"
	stoppedResults  = "What the tools had returned by then;" // as older versions told it, before what they had
)

// StopOf is what is kept of a turn that was stopped: by the requests and what was attached to them, what
// the agent did, what it was writing, and what it changed.
func StopOf(request string, messages, record []conversation.Message, partial string, changes []string) Stop {
	s := Stop{Text: text.MiddleOut(request, maxStoppedText), Time: time.Now(), Changes: changes}
	for _, m := range messages {
		for _, a := range m.Attached {
			s.Attached = append(s.Attached, a.Path)
		}
	}
	targets := map[string]string{}
	var said []string
	for _, m := range record {
		switch m.Role {
		case conversation.RoleAssistant, conversation.RoleAgent:
			for _, c := range m.ToolCalls {
				targets[c.ID] = c.Target
			}
			said = append(said, m.Content)
		case conversation.RoleTool:
			if !tools.TraitsOf(m.ToolName).Speaks && m.Summary != SummaryStopped {
				s.Calls = append(s.Calls, stoppedCall(m.ToolName, targets[m.ToolCallID], m.Content))
			}
		}
	}
	said = slices.DeleteFunc(append(said, partial), text.Blank)
	s.Said = text.MiddleOut(strings.Join(said, "\n\n"), maxStoppedSaid)
	s.Calls = s.Calls[max(0, len(s.Calls)-maxStoppedCalls):]
	return s
}

// stoppedRoom is in how many characters all stopped turns are told.
type stoppedRoom struct {
	requests int
	results  int // what was called and said
}

// Stops tell the model what was stopped and what had come of it. The newest stop comes first
// in what there is room for. Changes and calls that withhold names are left out.
func Stops(stops []Stop, room stoppedRoom, withhold Rule) []string {
	var lines []string
	for i, s := range slices.Backward(stops) {
		which := "the previous request"
		if i < len(stops)-1 {
			which = "an earlier request"
		}
		lines = append(lines, s.told(which, &room, withhold))
	}
	slices.Reverse(lines)
	return lines
}

// told is a stopped turn as the model is told of it. What it takes is taken off the room.
func (s Stop) told(which string, room *stoppedRoom, withhold Rule) string {
	done := "It had changed nothing."
	if len(s.Changes) > 0 {
		done = "What it had changed is private now."
	}
	if withhold != nil {
		private := func(line string) bool { return withhold("{}", line) }
		s.Changes = slices.DeleteFunc(slices.Clone(s.Changes), private)
		s.Calls = slices.DeleteFunc(slices.Clone(s.Calls), func(call string) bool { return privateCall(call, withhold) })
		s.Attached = slices.DeleteFunc(slices.Clone(s.Attached), func(path string) bool { return withhold(pathArguments(path), "") })
	}
	if len(s.Changes) > 0 {
		done = AlreadyDone + strings.Join(s.Changes, "; ") + "."
	}
	request := s.Text
	if n := utf8.RuneCountInString(request); n > room.requests {
		request = text.MiddleOut(request, max(room.requests, leastStoppedText))
	}
	room.requests -= utf8.RuneCountInString(request)
	told := fmt.Sprintf("The user stopped %s (“%s”). %s", which, request, done)
	if len(s.Attached) > 0 {
		told += "\n" + stoppedAttached + strings.Join(s.Attached, ", ") + ". Read these again if they matter."
	}
	calls := func() string { return "\n- " + strings.Join(s.Calls, "\n- ") }
	for len(s.Calls) > 0 && utf8.RuneCountInString(calls()) > room.results {
		s.Calls = s.Calls[1:]
	}
	if len(s.Calls) > 0 {
		told += "\n" + stoppedCalls + calls()
		room.results -= utf8.RuneCountInString(calls())
	}
	if room.results > 0 && !text.Blank(s.Said) {
		said := text.MiddleOut(s.Said, room.results)
		told += "\n" + stoppedSaid + "\n" + text.Quoted(said)
		room.results -= utf8.RuneCountInString(said)
	}
	return told
}

// stoppedCall is a call with the first line of its result: `read_file {"path":"a.md"}: 1: # Garden`.
func stoppedCall(tool, target, result string) string {
	return tool + " " + pathArguments(target) + ": " + text.Excerpt(text.FirstLine(result), maxStoppedCall)
}

// privateCall reports whether such a call is to be withheld.
func privateCall(call string, withhold Rule) bool {
	_, arguments, _ := strings.Cut(call, " ")
	arguments, _, _ = strings.Cut(arguments, "}: ")
	return withhold(arguments+"}", call)
}

// RoomIn is the room in a window of so many tokens.
func RoomIn(tokens int) stoppedRoom {
	window := tokens * BytesPerToken
	return stoppedRoom{requests: min(maxStoppedText, window*stoppedTextShare/100), results: min(maxStoppedTold, window*stoppedShare/100)}
}

// AlreadyDone begins what a turn changed that came to no end.
const AlreadyDone = "It had already done this: "

// SummaryStopped is the summary of a call that did not run, or not to its end.
const SummaryStopped = "stopped"

// BytesPerToken is about how many bytes of text a token stands for.
const BytesPerToken = 3
