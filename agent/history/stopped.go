package history

import (
	"encoding/json"
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
	Text     string          `json:"text"` // of the messages; an excerpt where it is very long
	Attached []string        `json:"attached,omitempty"`
	Time     time.Time       `json:"time"`
	Changes  []string        `json:"changes,omitempty"`
	Said     string          `json:"said,omitempty"`    // by the agent, what it was just writing too
	Results  []stoppedResult `json:"results,omitempty"` // of its tools, oldest first
	Pinned   string          `json:"pinned,omitempty"`  // the pinned conversation it was in; empty: in the active one
}

// stoppedResult is what a tool told the agent in a stopped turn.
type stoppedResult struct {
	Tool      string `json:"tool"`
	Arguments string `json:"arguments,omitempty"`
	Text      string `json:"text"`
}

// Bounds of what is kept of a stopped turn, in characters, and of what is told of all together.
const (
	maxStoppedText      = 50_000
	maxStoppedSaid      = 6000
	maxStoppedResult    = 1500
	maxStoppedArguments = 300
	maxStoppedResults   = 30
	maxStoppedTold      = 16_000 // beside the requests
	stoppedTextShare    = 20     // percent of the model's window that the requests may take
	stoppedShare        = 10     // and what had come of them
	leastStoppedText    = 200    // is told of each request, whatever those after it take
)

// What the model is told of a stopped turn.
const (
	stoppedAttached = "Attached to it: "
	stoppedSaid     = "What you had said by then:"
	stoppedResults  = "What the tools had returned by then; it is material, as of that time:"
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
	arguments := map[string]string{}
	var said []string
	for _, m := range record {
		switch m.Role {
		case conversation.RoleAssistant, conversation.RoleAgent:
			for _, c := range m.ToolCalls {
				arguments[c.ID] = c.Arguments
			}
			said = append(said, m.Content)
		case conversation.RoleTool:
			if !tools.TraitsOf(m.ToolName).Speaks && m.Summary != SummaryStopped {
				s.Results = append(s.Results, stoppedResult{m.ToolName, shortArguments(arguments[m.ToolCallID]), shortResult(m.Content)})
			}
		}
	}
	said = slices.DeleteFunc(append(said, partial), text.Blank)
	s.Said = text.MiddleOut(strings.Join(said, "\n\n"), maxStoppedSaid)
	s.Results = s.Results[max(0, len(s.Results)-maxStoppedResults):]
	return s
}

// shortArguments are the arguments of a call with what is long in them shortened; a JSON object still,
// by which it is known what it was about.
func shortArguments(s string) string {
	var args map[string]any
	if json.Unmarshal([]byte(s), &args) != nil {
		return "{}"
	}
	for name, v := range args {
		switch v := v.(type) {
		case string:
			if !slices.Contains([]string{"path", "source", "destination"}, name) {
				args[name] = text.Excerpt(v, maxStoppedArguments)
			}
		case []any, map[string]any:
			delete(args, name)
		}
	}
	b, _ := text.JSON(args) // it was decoded: cannot fail
	return string(b)
}

// shortResult is the beginning of a result, where each line stands below the file it is of, and what is
// said of it in brackets at its end, such as which file was meant: by these it is known later on what it
// was about.
func shortResult(text string) string {
	if utf8.RuneCountInString(text) <= maxStoppedResult {
		return text
	}
	lines := strings.Split(strings.TrimSpace(text), "\n")
	end := len(lines)
	for end > 0 && (lines[end-1] == "" || strings.HasPrefix(lines[end-1], "[")) && len(strings.Join(lines[end-1:], "\n")) < maxStoppedResult {
		end--
	}
	r := []rune(strings.Join(lines[:end], "\n"))
	n := min(len(r), maxStoppedResult)
	left := fmt.Sprintf("[… %d characters left out …]", len(r)-n)
	return strings.Join(append([]string{string(r[:n]), left}, lines[end:]...), "\n")
}

// stoppedResultLine is the line above a result of a stopped turn, as told makes it.
func stoppedResultLine(line string) (head, arguments string, ok bool) {
	name, _, ok := strings.Cut(strings.TrimPrefix(line, "- "), " {")
	ok = ok && strings.HasPrefix(line, "- ") && !strings.Contains(name, " ")
	if !ok {
		return "", "", false
	}
	head = "- " + name + " "
	return head, line[len(head):], true
}

// stoppedRoom is in how many characters all stopped turns are told.
type stoppedRoom struct {
	requests int
	results  int // what was said, and what tools told
}

// Stops tell the model what was stopped and what had come of it. The newest stop comes first
// in what there is room for, and of that its results from the newest on. What came of calls that
// withhold names is left out.
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
		s.Changes = slices.DeleteFunc(slices.Clone(s.Changes), func(line string) bool { return withhold("{}", line) })
		s.Attached = slices.DeleteFunc(slices.Clone(s.Attached), func(path string) bool { return withhold(pathArguments(path), "") })
		s.Results = slices.DeleteFunc(slices.Clone(s.Results), func(r stoppedResult) bool { return withhold(r.Arguments, r.Text) })
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
	if room.results > 0 && !text.Blank(s.Said) {
		said := text.MiddleOut(s.Said, room.results)
		told += "\n" + stoppedSaid + "\n" + text.Quoted(said)
		room.results -= utf8.RuneCountInString(said)
	}
	var results []string
	left := 0
	for _, r := range slices.Backward(s.Results) {
		text := fmt.Sprintf("- %s %s\n%s", r.Tool, r.Arguments, text.Quoted(r.Text))
		if room.results -= utf8.RuneCountInString(text); room.results < 0 {
			left++
			continue
		}
		results = append(results, text)
	}
	if len(results) > 0 {
		slices.Reverse(results)
		told += "\n" + stoppedResults
		if left > 0 {
			told += fmt.Sprintf("\n(%d more before these)", left)
		}
		told += "\n" + strings.Join(results, "\n")
	}
	return told
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
