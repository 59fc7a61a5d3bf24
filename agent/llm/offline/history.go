package offline

import (
	"encoding/json"
	"strings"
	"time"

	"chatvault/agent/llm"
)

// call is a tool call of the history with its result.
type call struct {
	id      string
	name    string
	args    map[string]any
	result  string
	failed  bool
	pending bool // no result yet
}

// arg is an argument that is a string; empty where it is not.
func (c call) arg(name string) string {
	s, _ := c.args[name].(string)
	return s
}

// asks says whether the call asked the user something.
func (c call) asks() bool {
	q, _ := c.args["is_question"].(bool)
	return c.name == "send_message" && q && !c.failed && c.ours()
}

// ours says whether the engine made the call; a conversation may have begun with a model.
func (c call) ours() bool { return strings.HasPrefix(c.id, idPrefix) }

// changes says whether the call may have changed the vault.
func (c call) changes() bool {
	switch c.name {
	case "read_file", "search_files", "list_files", "get_file_info", "send_message":
		return false
	}
	return true
}

// turn is one message of the user (or several that came together) and what followed.
type turn struct {
	text    string
	context string
	time    time.Time
	calls   []call
	answer  string // the last text the agent said
}

// asked says whether the turn ended with a question of ours.
func (t turn) asked() bool {
	return len(t.calls) > 0 && t.calls[len(t.calls)-1].asks()
}

// nudge is how the agent asks again after an empty response; it is no message of the user's.
const nudge = "(Your last response was empty"

// turns reads the history. Messages of the user that follow each other are one turn.
func turns(messages []llm.Message) []turn {
	var out []turn
	open := false // the newest turn may still take a message of the user's
	byID := map[string]*call{}
	for _, m := range messages {
		switch m.Role {
		case llm.RoleUser:
			switch {
			case strings.HasPrefix(m.Content, nudge):
			case open:
				t := &out[len(out)-1]
				t.text += "\n" + m.Content
				t.context = strings.TrimSpace(t.context + "\n" + m.Context)
				t.time = m.Time
			default:
				out = append(out, turn{text: m.Content, context: m.Context, time: m.Time})
				open = true
			}
		case llm.RoleAssistant:
			if len(out) == 0 {
				continue
			}
			t := &out[len(out)-1]
			open = false
			if m.Content != "" {
				t.answer = m.Content
			}
			for _, c := range m.ToolCalls {
				t.calls = append(t.calls, call{id: c.ID, name: c.Name, args: arguments(c.Arguments), pending: true})
			}
			clear(byID) // calls moved when the slice grew
			for i, n := 0, len(t.calls)-len(m.ToolCalls); i < len(m.ToolCalls); i++ {
				byID[m.ToolCalls[i].ID] = &t.calls[n+i]
			}
		case llm.RoleTool:
			if c := byID[m.ToolCallID]; c != nil {
				c.result, c.failed, c.pending = m.Content, m.IsError, false
			}
		}
	}
	return out
}

func arguments(raw string) map[string]any {
	m := map[string]any{}
	if err := json.Unmarshal([]byte(raw), &m); err != nil {
		return map[string]any{}
	}
	return m
}

// lastNote is the path of the note the conversation last was about: the one that was changed
// or read alone, else the first one an answer cited. Empty when there is none.
func lastNote(past []turn, record []call) string {
	if p := noteOf(record); p != "" {
		return p
	}
	for i := len(past) - 1; i >= 0; i-- {
		p, changed := noteOf(past[i].calls), false
		for _, c := range past[i].calls {
			changed = changed || c.changes() && !c.failed
		}
		if cited := citations(past[i].answer); len(cited) > 0 && (p == "" || !changed) {
			return cited[0].Path
		}
		if p != "" {
			return p
		}
	}
	return ""
}

// noteOf is the note that calls were about: the last one changed, else the first of the last
// reads.
func noteOf(calls []call) string {
	for i := len(calls) - 1; i >= 0; i-- {
		c := calls[i]
		if c.failed || c.pending {
			continue
		}
		switch c.name {
		case "write_file", "edit_file":
			return c.arg("path")
		case "move_file":
			return c.arg("destination")
		case "read_file":
			first := i
			for first > 0 && calls[first-1].name == "read_file" && !calls[first-1].failed {
				first--
			}
			return calls[first].arg("path")
		}
	}
	return ""
}

// lastFolder is the folder that was made last.
func lastFolder(past []turn, record []call) string {
	all := [][]call{record}
	for i := len(past) - 1; i >= 0; i-- {
		all = append(all, past[i].calls)
	}
	for _, calls := range all {
		for i := len(calls) - 1; i >= 0; i-- {
			if c := calls[i]; c.name == "create_folder" && !c.failed && !c.pending {
				return c.arg("path")
			}
		}
	}
	return ""
}

// listed are the paths an answer named, in order, for "the second one".
func listed(past []turn) []string {
	for i := len(past) - 1; i >= 0; i-- {
		if cited := citations(past[i].answer); len(cited) > 0 {
			var out []string
			seen := map[string]bool{}
			for _, c := range cited {
				if !seen[c.Path] {
					seen[c.Path] = true
					out = append(out, c.Path)
				}
			}
			return out
		}
	}
	return nil
}
