package offline

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"chatvault/agent/llm"
	"chatvault/internal/base/lazyregexp"
	"chatvault/internal/base/text"
)

// message is a message of the user, with the agent's context for it.
type message struct {
	text    string
	context string
	time    time.Time
}

// call is a tool call with its result.
type call struct {
	id     string
	tool   string
	args   args
	result string
	failed bool
	done   bool // it has a result
}

type args map[string]any

// text returns a string argument, or "".
func (a args) text(name string) string {
	s, _ := a[name].(string)
	return s
}

// turn is one or more messages of the user and the calls that followed.
type turn struct {
	messages []message
	calls    []call
}

// Texts that the agent writes in a history.
const (
	approvedPlan = "The user approved the plan"
	attemptEnded = "An earlier attempt at this request ended early. "
	stepsLeftOut = "(the steps themselves are left out to save room):"
)

// latestTurn reads a history up to its newest turn. A message that arrives while a turn runs belongs to that turn.
func latestTurn(messages []llm.Message) (t turn) {
	ended := true
	for _, m := range messages {
		switch {
		case m.Role == llm.RoleUser && m.Program:
		case m.Role == llm.RoleUser:
			if ended {
				t = turn{}
			}
			ended = false
			t.messages = append(t.messages, message{m.Content, m.Context, m.Time})
		case len(t.messages) == 0:
		case m.Role == llm.RoleAssistant:
			ended = len(m.ToolCalls) == 0
			for _, c := range m.ToolCalls {
				made := call{id: c.ID, tool: c.Name, args: args{}}
				_ = json.Unmarshal([]byte(c.Arguments), &made.args) // a model may have written invalid JSON
				t.calls = append(t.calls, made)
			}
		case m.Role == llm.RoleTool:
			i := slices.IndexFunc(t.calls, func(c call) bool { return c.id == m.ToolCallID && !c.done })
			if i >= 0 {
				c := &t.calls[i]
				c.result, c.failed, c.done = m.Content, m.IsError, true
			}
		}
	}
	return t
}

// callFor returns the finished call for message i, or nil.
func (t turn) callFor(i int) *call {
	for k := range t.calls {
		c := &t.calls[k]
		if rest, ok := strings.CutPrefix(c.id, "offline-"); ok && c.done && strings.HasSuffix(rest, "-"+strconv.Itoa(i)) {
			return c
		}
	}
	return nil
}

// attempted returns the agent's account of an earlier attempt at the message, or "".
func (m message) attempted() string {
	for _, mark := range []string{attemptEnded, stepsLeftOut} {
		if _, rest, found := strings.Cut(m.context, mark); found {
			return strings.TrimSuffix(text.FirstLine(rest), " Do not repeat it.")
		}
	}
	return ""
}

func (m message) approvesPlan() bool { return strings.Contains(m.context, approvedPlan) }

var shortRE = lazyregexp.New(`(?i)^(what|who|where|when|how)['’]?s\b`)

// spelled expands a short form at the beginning of a text: "what's".
func spelled(s string) string { return shortRE().ReplaceAllString(strings.TrimSpace(s), "$1 is") }
