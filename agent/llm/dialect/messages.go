package dialect

import (
	"cmp"
	"encoding/base64"
	"slices"
	"strings"

	"chatvault/agent/llm"
)

// What stands where an endpoint wants something and nothing was said. The model reads it.
const (
	empty   = "(empty)"
	goesOn  = "(Go on.)"
	earlier = "(The conversation goes on here.)"
	// bridge stands between the result of a tool and the user's next words: to some endpoints and
	// chat templates only the assistant may speak after a tool.
	bridge = "(The user has written again.)"
	// follows is where results of tools are texts, and what else they returned is the user's to show.
	follows = "(What the tools returned to look at:)"
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
// assistant's between the result of a tool and the user's next words, and what tools returned beside text
// into a message of the user's.
func Turns(history []llm.Message, bridged bool) (says string, turns []llm.Message) {
	var system []string
	var out []llm.Message
	for i, m := range history {
		text, media := shown(m)
		switch m.Role {
		case llm.RoleSystem:
			if text != "" {
				system = append(system, text)
			}
		case llm.RoleTool: // taken with the call it answers
		case llm.RoleAssistant:
			if text != "" || len(m.ToolCalls) > 0 {
				out = append(out, withAnswers(m, text, history[i+1:], bridged)...)
			}
		default:
			out = append(out, llm.Message{Role: llm.RoleUser, Content: cmp.Or(text, empty), Media: media})
		}
	}
	return strings.Join(system, "\n\n"), byTurns(out, bridged)
}

// shown is a message's text, which names the media that it does not show, and those that it does.
func shown(m llm.Message) (text string, media []llm.Media) {
	text = m.Prompt()
	for _, x := range m.Media {
		if x.Data == nil {
			text += "\n\n" + x.Unshown()
			continue
		}
		media = append(media, x)
	}
	if strings.TrimSpace(text) == "" {
		text = ""
	}
	return text, media
}

// withAnswers is an assistant message with one answer to each of its calls. apart puts media of answers into a
// message of their own.
func withAnswers(m llm.Message, text string, after []llm.Message, apart bool) []llm.Message {
	m.Content = text
	out := []llm.Message{m}
	var shownApart []llm.Media
	for i, answer := range llm.Answers(m.ToolCalls, after) {
		text, media := shown(answer)
		if apart {
			shownApart, media = append(shownApart, media...), nil
		}
		c := m.ToolCalls[i]
		out = append(out, llm.Message{Role: llm.RoleTool, Content: cmp.Or(text, empty), Media: media, IsError: answer.IsError, ToolCallID: c.ID, ToolName: c.Name})
	}
	if len(shownApart) > 0 {
		out = append(out, llm.Message{Role: llm.RoleUser, Content: follows, Media: shownApart})
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
			last.Media = slices.Concat(last.Media, m.Media)
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

// messages are those of a normal history as the target takes them.
func (d *Dialect) messages(to Target, history []llm.Message) []object {
	out := make([]object, 0, len(history))
	for _, m := range Addressed(to, history, d.ID) {
		switch {
		case m.Role == llm.RoleTool:
			out = append(out, object{{"role", "tool"}, {"content", m.Content}, {"tool_call_id", m.ToolCallID}})
			continue
		case m.Role != llm.RoleAssistant:
			out = append(out, object{{"role", string(m.Role)}, {"content", parts(m)}})
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
		calls := make([]object, len(m.ToolCalls))
		for i, c := range m.ToolCalls {
			calls[i] = object{
				{"id", c.ID},
				{"type", "function"},
				{"function", object{{"name", c.Name}, {"arguments", c.Arguments}}},
			}.with(d.callFields(to, m, i))
		}
		o = append(o, member{"tool_calls", calls})
		out = append(out, o.with(d.messageFields(to, m, content != "")))
	}
	return out
}

// parts is the content of a user's message: its text alone where there is no more.
func parts(m llm.Message) any {
	if len(m.Media) == 0 {
		return m.Content
	}
	out := []object{{{"type", "text"}, {"text", m.Content}}}
	for _, x := range m.Media {
		out = append(out, object{{"type", "text"}, {"text", x.Label()}})
		if x.Document() {
			out = append(out, object{{"type", "file"}, {"file", object{{"filename", FileName(x)}, {"file_data", DataURL(x)}}}})
		} else {
			out = append(out, object{{"type", "image_url"}, {"image_url", object{{"url", DataURL(x)}}}})
		}
	}
	return out
}

// mark sets the ends up to which the prompt is to be cached: that of the system's message, and those of what the user
// and tools said last and before the last answer, at which the request before this one ended.
func mark(messages []object) {
	const ends = 2
	marked, next := 0, any("assistant")
	for _, m := range slices.Backward(messages) {
		role := m.get("role")
		if role == "system" || role != "assistant" && next == "assistant" && marked < ends {
			markEnd(m)
			marked++
		}
		next = role
	}
}

// markEnd marks the last text of a message.
func markEnd(m object) {
	at := slices.IndexFunc(m, func(x member) bool { return x.name == "content" })
	said, ok := m[at].value.([]object)
	if !ok {
		said = []object{{{"type", "text"}, {"text", m[at].value}}}
	}
	for i := len(said) - 1; i >= 0; i-- {
		if said[i].get("type") == "text" {
			said[i] = append(said[i], member{"cache_control", object{{"type", "ephemeral"}}})
			break
		}
	}
	m[at].value = said
}

// DataURL is what is shown, as a URL that holds it.
func DataURL(m llm.Media) string {
	return "data:" + m.Type + ";base64," + base64.StdEncoding.EncodeToString(m.Data)
}

// FileName is a document's name without folders: endpoints go by its ending.
func FileName(m llm.Media) string { return m.Name[strings.LastIndexByte(m.Name, '/')+1:] }
