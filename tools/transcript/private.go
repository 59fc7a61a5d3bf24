package transcript

import (
	"encoding/json"
	"strings"

	"chatvault/conversation"
)

// NamesPrivate reports whether a call, by its arguments, a JSON object as text, and its result, is about
// a path that is private: what came of the call may have been recorded before it was.
func NamesPrivate(arguments, result string, private func(path string) bool) bool {
	if meant := meantIn(result); meant != "" && private(meant) {
		return true
	}
	var args map[string]any
	if json.Unmarshal([]byte(arguments), &args) != nil {
		return false
	}
	for _, name := range []string{"path", "source", "destination"} {
		if path, ok := args[name].(string); ok && private(path) {
			return true
		}
	}
	return false
}

// WithoutPrivate is a conversation in which no call says what it acted on where that is private
// now.
func WithoutPrivate(c *conversation.Conversation, private func(path string) bool) *conversation.Conversation {
	out := *c
	out.Turns = untold(c.Turns, private)
	if c.Continues != nil {
		carried := *c.Continues
		carried.Turns = untold(carried.Turns, private)
		out.Continues = &carried
	}
	return &out
}

func untold(turns []conversation.Turn, private func(path string) bool) []conversation.Turn {
	out := make([]conversation.Turn, len(turns))
	for i, t := range turns {
		out[i] = t
		out[i].Messages = make([]conversation.Message, len(t.Messages))
		results := map[string]string{}
		for _, m := range t.Messages {
			if m.Role == conversation.RoleTool {
				results[m.ToolCallID] = m.Content
			}
		}
		for j, m := range t.Messages {
			out[i].Messages[j] = m
			if len(m.ToolCalls) == 0 {
				continue
			}
			calls := make([]conversation.ToolCall, len(m.ToolCalls))
			for k, call := range m.ToolCalls {
				if calls[k] = call; NamesPrivate(call.Arguments, results[call.ID], private) {
					calls[k].Target = ""
				}
			}
			out[i].Messages[j].ToolCalls = calls
		}
	}
	return out
}

// MeantLine begins the last line of a result, where that says nowhere else which note was meant.
const MeantLine = "\n[Path: "

// meantIn is the note that the last line of a result says was meant; empty: it says none.
func meantIn(result string) string {
	i := strings.LastIndex(result, MeantLine)
	if i < 0 {
		return ""
	}
	path, ok := strings.CutSuffix(result[i+len(MeantLine):], "]")
	if !ok || strings.Contains(path, "\n") {
		return ""
	}
	return path
}
