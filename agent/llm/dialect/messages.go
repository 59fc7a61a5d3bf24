package dialect

import (
	"cmp"
	"encoding/base64"
	"slices"
	"strings"

	"chatvault/agent/llm"
)

// Placeholders for required but missing text. The model reads them.
const (
	empty   = "(empty)"
	goesOn  = "(Go on.)"
	earlier = "(The conversation goes on here.)"
	// bridge separates the result of a tool from the user's next message: some endpoints and chat templates require an
	// assistant message after a tool.
	bridge = "(The user has written again.)"
	// follows introduces media that tools returned, for endpoints whose tool results are text only.
	follows = "(What the tools returned to look at:)"
)

// Normal returns a history in the form that every endpoint accepts.
func Normal(history []llm.Message) []llm.Message {
	system, out := Turns(history, true)
	if system != "" {
		out = append([]llm.Message{{Role: llm.RoleSystem, Content: system}}, out...)
	}
	return out
}

// Turns returns a history in normal form, and its system text. bridged inserts an assistant message between the result
// of a tool and the user's next message, and moves media of tool results to a user message.
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

// shown returns the text of a message, with notes on omitted media, and the media to show.
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

// withAnswers returns an assistant message with one answer to each of its calls. apart moves media of answers to a
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

// byTurns makes user and assistant alternate, beginning and ending with the user.
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

// messages returns a normal history in the form of the target.
func (d *Dialect) messages(to Target, history []llm.Message) []object {
	out := make([]object, 0, len(history))
	for _, m := range WithPortableIDs(to, history, d.ID) {
		switch {
		case m.Role == llm.RoleTool:
			out = append(out, object{{"role", "tool"}, {"content", m.Content}, {"tool_call_id", m.ToolCallID}})
			continue
		case m.Role != llm.RoleAssistant:
			out = append(out, object{{"role", string(m.Role)}, {"content", parts(m)}})
			continue
		}
		var said any // nil for a call without text; the model would imitate a placeholder
		if content := d.thoughts(to, m) + m.Content; content != "" {
			said = content
		}
		o := object{{"role", "assistant"}, {"content", said}}
		if len(m.ToolCalls) == 0 {
			out = append(out, o)
			continue
		}
		calls := make([]object, len(m.ToolCalls))
		for i, c := range m.ToolCalls {
			call := object{{"id", c.ID}, {"type", "function"}, {"function", object{{"name", c.Name}, {"arguments", c.Arguments}}}}
			calls[i] = with(call, d.callFields(to, m, i))
		}
		o = append(o, member{"tool_calls", calls})
		out = append(out, with(o, d.messageFields(to, m, said != nil)))
	}
	return out
}

// parts returns the content of a user message: plain text if there are no media.
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

// mark sets cache marks at the end of the system message, of the last message by user or tools, and of the one before
// the last answer, where the previous request ended.
func mark(messages []object) {
	const ends = 2
	marked, next := 0, any("assistant")
	for _, m := range slices.Backward(messages) {
		role := m.Get("role")
		if role == "system" || role != "assistant" && next == "assistant" && marked < ends {
			markEnd(m)
			marked++
		}
		next = role
	}
}

// markEnd marks the last text of a message.
func markEnd(m object) {
	at := m.index("content")
	said, ok := m[at].value.([]object)
	if !ok {
		said = []object{{{"type", "text"}, {"text", m[at].value}}}
	}
	for i, part := range slices.Backward(said) {
		if part.Get("type") == "text" {
			said[i] = append(part, member{"cache_control", object{{"type", "ephemeral"}}})
			break
		}
	}
	m[at].value = said
}

// DataURL returns the medium as a data URL.
func DataURL(m llm.Media) string {
	return "data:" + m.Type + ";base64," + base64.StdEncoding.EncodeToString(m.Data)
}

// FileName returns a document's name without folders; endpoints need its extension.
func FileName(m llm.Media) string { return m.Name[strings.LastIndexByte(m.Name, '/')+1:] }
