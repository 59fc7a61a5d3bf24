package dialect

import (
	"encoding/json"
	"strings"

	"chatvault/agent/llm"
)

// What stands where an endpoint wants something and nothing was said. The model reads it.
const (
	empty    = "(empty)"
	noResult = "Error: The result of this call is not known."
	goesOn   = "(Go on.)"
	earlier  = "(The conversation goes on here.)"
	// bridge stands between the result of a tool and the user's next words: to some endpoints and
	// chat templates only the assistant may speak after a tool.
	bridge = "(The user has written again.)"
)

// Normal is a history in the form that every endpoint accepts. What the program tells beside a user's
// message is part of it then.
func Normal(history []llm.Message) []llm.Message {
	system, out := Turns(history, true)
	if system != "" {
		out = append([]llm.Message{{Role: llm.RoleSystem, Content: system}}, out...)
	}
	return out
}

// Turns is a history in its normal form, and what the system says in it. bridged puts words of the
// assistant's between the result of a tool and the user's next words.
func Turns(history []llm.Message, bridged bool) (says string, turns []llm.Message) {
	var system []string
	var out []llm.Message
	for i, m := range history {
		text := m.Prompt()
		if blank(text) {
			text = ""
		}
		switch m.Role {
		case llm.RoleSystem:
			if text != "" {
				system = append(system, text)
			}
		case llm.RoleTool: // taken with the call it answers
		case llm.RoleAssistant:
			if text != "" || len(m.ToolCalls) > 0 {
				out = append(out, withAnswers(m, text, history[i+1:])...)
			}
		default:
			if text == "" {
				text = empty
			}
			out = append(out, llm.Message{Role: llm.RoleUser, Content: text})
		}
	}
	return strings.Join(system, "\n\n"), byTurns(out, bridged)
}

// withAnswers is an assistant message with one answer to each of its calls, sought in what follows it
// up to the next message with calls.
func withAnswers(m llm.Message, text string, after []llm.Message) []llm.Message {
	m.Content = text
	answers := map[string][]llm.Message{}
	for _, a := range after {
		if len(a.ToolCalls) > 0 || len(m.ToolCalls) == 0 {
			break
		}
		if a.Role == llm.RoleTool {
			answers[a.ToolCallID] = append(answers[a.ToolCallID], a)
		}
	}
	out := []llm.Message{m}
	for _, c := range m.ToolCalls {
		answer := llm.Message{Content: noResult, IsError: true}
		if all := answers[c.ID]; len(all) > 0 {
			answer, answers[c.ID] = all[0], all[1:]
		}
		if blank(answer.Content) {
			answer.Content = empty
		}
		out = append(out, llm.Message{Role: llm.RoleTool, Content: answer.Content, IsError: answer.IsError, ToolCallID: c.ID, ToolName: c.Name})
	}
	return out
}

// byTurns makes the user begin and end, and user and assistant speak by turns.
func byTurns(messages []llm.Message, bridged bool) []llm.Message {
	var out []llm.Message
	for _, m := range messages {
		if len(out) == 0 {
			if m.Role != llm.RoleUser {
				out = append(out, llm.Message{Role: llm.RoleUser, Content: earlier})
			}
			out = append(out, m)
			continue
		}
		last := &out[len(out)-1]
		switch {
		case m.Role == llm.RoleUser && last.Role == llm.RoleUser:
			last.Content += "\n\n" + m.Content
		case m.Role == llm.RoleUser && last.Role == llm.RoleTool && bridged:
			out = append(out, llm.Message{Role: llm.RoleAssistant, Content: bridge}, m)
		case m.Role == llm.RoleAssistant && last.Role == llm.RoleAssistant: // without calls: their answers would be between
			m.Content = strings.TrimSpace(last.Content + "\n\n" + m.Content)
			*last = m
		default:
			out = append(out, m)
		}
	}
	if len(out) == 0 || out[len(out)-1].Role == llm.RoleAssistant {
		out = append(out, llm.Message{Role: llm.RoleUser, Content: goesOn})
	}
	return out
}

func blank(text string) bool { return strings.TrimSpace(text) == "" }

// messages are those of a normal history as the target takes them.
func (d *Dialect) messages(to Target, history []llm.Message) []object {
	ids := IDs(to, history, d.ID)
	out := make([]object, 0, len(history))
	nth := 0 // of the calls
	var answered map[string]string
	for _, m := range history {
		switch {
		case m.Role == llm.RoleTool:
			out = append(out, object{{"role", "tool"}, {"content", m.Content}, {"tool_call_id", answered[m.ToolCallID]}})
			continue
		case m.Role != llm.RoleAssistant:
			out = append(out, object{{"role", string(m.Role)}, {"content", m.Content}})
			continue
		}
		content := d.thoughts(to, m) + m.Content
		var said any // nil: a call without words; a placeholder would teach the model to say it
		if content != "" {
			said = content
		}
		o := object{{"role", "assistant"}, {"content", said}}
		if len(m.ToolCalls) == 0 {
			out = append(out, o)
			continue
		}
		answered = map[string]string{}
		calls := make([]object, len(m.ToolCalls))
		for i, c := range m.ToolCalls {
			answered[c.ID] = ids[nth]
			calls[i] = object{
				{"id", ids[nth]},
				{"type", "function"},
				{"function", object{{"name", Name(c.Name)}, {"arguments", Arguments(c.Arguments)}}},
			}.with(d.callFields(to, m, i))
			nth++
		}
		o = append(o, member{"tool_calls", calls})
		out = append(out, o.with(d.messageFields(to, m, content != "")))
	}
	return out
}

// Arguments are sent back as they were where they are a JSON object, else as an empty one: several
// endpoints fail on others, and the call's result says what was wrong.
func Arguments(s string) string {
	var o map[string]json.RawMessage
	if json.Unmarshal([]byte(s), &o) != nil || o == nil {
		return "{}"
	}
	return s
}
