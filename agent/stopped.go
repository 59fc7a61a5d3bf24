package agent

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"chatvault/conversation"
)

// stopped is a turn the user stopped; it is not in the conversation. What it came to is kept for the
// next turn's model, so that “go on, but shorter” means something.
type stopped struct {
	Text     string          `json:"text"` // of the messages; an excerpt where it is very long
	Attached []string        `json:"attached,omitempty"`
	Time     time.Time       `json:"time"`
	Changes  []string        `json:"changes,omitempty"`
	Said     string          `json:"said,omitempty"`    // by the agent, what it was just writing too
	Results  []stoppedResult `json:"results,omitempty"` // of its tools, oldest first
}

// stoppedResult is what a tool told the agent in a stopped turn.
type stoppedResult struct {
	Tool      string `json:"tool"`
	Arguments string `json:"arguments,omitempty"`
	Text      string `json:"text"`
}

// Bounds of what is kept of a stopped turn, in characters, and of what is told of all together.
const (
	maxStoppedText      = 8000
	maxStoppedSaid      = 6000
	maxStoppedResult    = 1500
	maxStoppedArguments = 300
	maxStoppedResults   = 30
	maxStoppedTold      = 16_000
	stoppedShare        = 10 // percent of the model's window that what is told may take
)

// What the model is told of a stopped turn.
const (
	stoppedSaid    = "What you had said by then:"
	stoppedResults = "What the tools had told you by then; it is material, as it was then:"
)

// stoppedTurn is what is kept of a turn that was stopped.
func (t *turn) stoppedTurn(out Outcome) stopped {
	s := stopped{Text: middleOut(t.text(), maxStoppedText), Time: time.Now(), Changes: out.Changes}
	for _, m := range t.messages {
		for _, a := range m.Attached {
			s.Attached = append(s.Attached, a.Path)
		}
	}
	arguments := map[string]string{}
	var said []string
	for _, m := range out.Record {
		switch m.Role {
		case conversation.RoleAssistant, conversation.RoleAgent:
			for _, c := range m.ToolCalls {
				arguments[c.ID] = c.Arguments
			}
			said = append(said, m.Content)
		case conversation.RoleTool:
			if !onlySpeaks(m.ToolName) && m.Summary != summaryStopped {
				s.Results = append(s.Results, stoppedResult{m.ToolName, shortArguments(arguments[m.ToolCallID]), middleOut(m.Content, maxStoppedResult)})
			}
		}
	}
	said = slices.DeleteFunc(append(said, out.Partial), blank)
	s.Said = middleOut(strings.Join(said, "\n\n"), maxStoppedSaid)
	s.Results = s.Results[max(0, len(s.Results)-maxStoppedResults):]
	return s
}

// shortArguments are the arguments of a call with what is long in them shortened; a JSON object still,
// by which it is known what it was about.
func shortArguments(text string) string {
	var args map[string]any
	if json.Unmarshal([]byte(text), &args) != nil {
		return "{}"
	}
	for name, v := range args {
		switch v := v.(type) {
		case string:
			if !slices.Contains([]string{"path", "source", "destination"}, name) {
				args[name] = excerpt(v, maxStoppedArguments)
			}
		case []any, map[string]any:
			delete(args, name)
		}
	}
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(args) != nil {
		return "{}"
	}
	return strings.TrimSpace(b.String())
}

// add notes a turn that was stopped.
func (n *notes) add(s stopped) {
	n.Stops = append(n.Stops, s)
	for i := 0; len(n.Stops) > maxStops; i++ {
		if i == len(n.Stops) {
			n.Stops = n.Stops[1:]
			return
		}
		if len(n.Stops[i].Changes) == 0 {
			n.Stops = append(n.Stops[:i:i], n.Stops[i+1:]...)
		}
	}
}

// stopSentences tell the model what was stopped and what had come of it, in about so many characters:
// of the newest stop first, and of that its results from the newest on. What came of calls that
// withhold names is left out.
func (n *notes) stopSentences(room int, withhold Withhold) []string {
	var lines []string
	for i, s := range slices.Backward(n.Stops) {
		which := "the previous request"
		if i < len(n.Stops)-1 {
			which = "an earlier request"
		}
		told := s.told(which, room, withhold)
		room -= len([]rune(told))
		lines = append(lines, told)
	}
	slices.Reverse(lines)
	return lines
}

// told is a stopped turn as the model is told of it.
func (s stopped) told(which string, room int, withhold Withhold) string {
	done := "It had changed nothing."
	if len(s.Changes) > 0 {
		done = "It had already done this: " + strings.Join(s.Changes, "; ") + "."
	}
	told := fmt.Sprintf("The user stopped %s (“%s”). %s", which, middleOut(s.Text, max(room/2, 200)), done)
	if len(s.Attached) > 0 {
		told += "\nWith it came " + strings.Join(s.Attached, ", ") + ", to be read again where that matters."
	}
	room -= len([]rune(told))
	if said := middleOut(s.Said, min(room, maxStoppedSaid)); room > 0 && !blank(said) {
		told += "\n" + stoppedSaid + "\n" + quoted(said)
		room -= len([]rune(said))
	}
	var results []string
	left := 0
	for _, r := range slices.Backward(s.Results) {
		if withhold != nil && withhold(r.Arguments, r.Text) {
			continue
		}
		text := fmt.Sprintf("- %s %s\n%s", r.Tool, r.Arguments, quoted(r.Text))
		if room -= len([]rune(text)); room < 0 {
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

// stopContext tells the model of the turns that were stopped since one was last answered.
func (p *Processor) stopContext(t *turn, n notes) []string {
	room := min(maxStoppedTold, p.windows.Room(t.provider, p.opt.Window).Window*stoppedShare/100*bytesPerToken)
	var withhold Withhold
	if p.opt.Withhold != nil {
		withhold = p.opt.Withhold()
	}
	return n.stopSentences(room, withhold)
}
