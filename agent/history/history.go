// Package history converts conversations into the messages that a model gets, and describes in words earlier
// conversations, stopped turns, attachments, the open question and the vault's size. It withholds what has become
// private.
package history

import (
	"encoding/json"
	"slices"
	"strings"

	"chatvault/agent/llm"
	"chatvault/conversation"
	"chatvault/internal/base/text"
)

// Messages turns what was recorded into what a model is sent. Agent messages are left out: the
// call of send_message that sent them is in the history already.
func Messages(record []conversation.Message) []llm.Message {
	out := make([]llm.Message, 0, len(record))
	for _, m := range record {
		switch m.Role {
		case conversation.RoleUser:
			out = append(out, llm.Message{Role: llm.RoleUser, Content: m.Content, Time: m.Time, Context: contextOf(m), Attached: attachedText(m.Attached), Media: media(m.Attached), Program: m.ByProgram()})
		case conversation.RoleAssistant:
			a := llm.Message{Role: llm.RoleAssistant, Content: m.Content, Echo: echoOf(m)}
			for _, c := range m.ToolCalls {
				a.ToolCalls = append(a.ToolCalls, llm.ToolCall{ID: c.ID, Name: llm.PortableName(c.Name), Arguments: c.Arguments})
			}
			out = append(out, a)
		case conversation.RoleTool:
			out = append(out, llm.Message{Role: llm.RoleTool, Content: m.Content, ToolCallID: m.ToolCallID, ToolName: llm.PortableName(m.ToolName), IsError: m.IsError, Media: media(m.Attached)})
		}
	}
	return out
}

// contextOf returns the context of a user's message, with its sender.
func contextOf(m conversation.Message) string {
	if m.Sender == "" {
		return m.Context
	}
	return text.Join("\n", "This message is from "+m.Sender+".", m.Context)
}

// Past is an earlier turn as a model gets it.
type Past struct {
	Turn     string // its ID
	Messages []llm.Message
	Summary  string // if not empty, Messages replace that turn and all before it
}

// Of returns the turns of a conversation for a model. Each turn ends with an assistant message, so that a user's message
// never follows an unanswered call. A summary replaces compacted turns. Imported or edited conversations may violate rules
// of endpoints: package dialect makes every request valid.
func Of(c *conversation.Conversation) (past []Past) {
	if x := c.Compaction; x != nil {
		past = append(past, Summary(x.Through, x.Summary))
	}
	turns := c.Turns[c.Compacted():]
	sealed := len(turns) - 1 // the first turn whose reasoning is still sent
	for sealed > 0 && !turns[sealed].Unsealed {
		sealed--
	}
	for i := range turns {
		turn := withLastWord(&turns[i], Messages(turns[i].Messages))
		if i < sealed {
			turn = Unsealed(turn)
		}
		if len(turn) > 0 {
			past = append(past, Past{Turn: turns[i].ID, Messages: turn})
		}
	}
	return past
}

// Join returns the messages of turns.
func Join(past []Past) (messages []llm.Message) {
	for _, p := range past {
		messages = append(messages, p.Messages...)
	}
	return messages
}

// withLastWord ends a turn's messages with the assistant's last word.
func withLastWord(t *conversation.Turn, turn []llm.Message) []llm.Message {
	if len(turn) == 0 {
		return nil
	}
	if last := turn[len(turn)-1]; last.Role == llm.RoleAssistant && len(last.ToolCalls) == 0 {
		return turn
	}
	s := "(Nothing more was said.)"
	switch {
	case t.Failed:
		s = "(This request failed before it was answered: " + t.Error + ")"
	case !text.Blank(t.Question):
		s = t.Question
	}
	return append(turn, llm.Message{Role: llm.RoleAssistant, Content: s, Program: s != t.Question})
}

// Summary returns what replaces summarized turns up to one: the summary and its acknowledgment, so that the roles
// alternate.
func Summary(through, summary string) Past {
	return Past{Turn: through, Summary: summary, Messages: []llm.Message{
		{Role: llm.RoleUser, Program: true, Content: "[The older part of this conversation is left out to save room. This is its summary:]\n\n" + summary},
		{Role: llm.RoleAssistant, Program: true, Content: "I know what the summary says and will continue from there."},
	}}
}

// RecordEcho returns what a response's endpoint may want back with it, as it is recorded; empty if nothing. For an
// answer without calls, that is only the thoughts in its content.
func RecordEcho(resp llm.Response) string {
	e := resp.Echo
	if e == nil || len(e.Calls) != len(resp.ToolCalls) || len(e.Calls) == 0 && e.Fields["content"] == nil {
		return ""
	}
	if len(e.Calls) == 0 {
		e = &llm.Echo{Endpoint: e.Endpoint, Model: e.Model, Fields: map[string]json.RawMessage{"content": e.Fields["content"]}}
	}
	b, _ := json.Marshal(e) // what cannot be written is lost, as with another endpoint: the history stays valid
	return string(b)
}

// UnsealedEcho returns a recorded Echo without the model's reasoning: only the IDs of its calls.
func UnsealedEcho(m conversation.Message) string {
	e := echoOf(m)
	if e == nil {
		return ""
	}
	b, _ := json.Marshal(e.Unsealed()) // as above
	return string(b)
}

// Sealed reports whether messages go back with how a model reasoned.
func Sealed(messages []llm.Message) bool {
	return slices.ContainsFunc(messages, func(m llm.Message) bool { return m.Echo != nil && m.Echo.Model != "" })
}

// Unsealed returns messages without how a model reasoned.
func Unsealed(messages []llm.Message) []llm.Message {
	out := slices.Clone(messages)
	for i, m := range out {
		if m.Echo != nil {
			out[i].Echo = m.Echo.Unsealed()
		}
	}
	return out
}

// echoOf decodes a recorded Echo; nil if there is none or it is invalid.
func echoOf(m conversation.Message) *llm.Echo {
	if m.Echo == "" {
		return nil
	}
	var e llm.Echo
	if json.Unmarshal([]byte(m.Echo), &e) != nil {
		return nil
	}
	return &e
}

// InWords returns a request without tools, with calls and results as text.
func InWords(req llm.Request) llm.Request {
	out := []llm.Message{}
	var results []string
	var media []llm.Media
	flush := func() {
		if len(results) > 0 {
			out = append(out, llm.Message{Role: llm.RoleUser, Program: true, Content: "(Results of earlier tool calls.)", Context: strings.Join(results, "\n\n"), Media: media})
			results, media = nil, nil
		}
	}
	for _, m := range req.Messages {
		if m.Role == llm.RoleTool {
			results, media = append(results, "Result of "+m.ToolName+":\n"+m.Content), append(media, m.Media...)
			continue
		}
		flush()
		if len(m.ToolCalls) > 0 {
			said := []string{m.Content}
			for _, c := range m.ToolCalls {
				said = append(said, "(I called "+c.Name+" with "+c.Arguments+")")
			}
			m.Content, m.ToolCalls, m.Echo = strings.TrimSpace(strings.Join(said, "\n")), nil, nil
		}
		out = append(out, m)
	}
	flush()
	req.Messages, req.Tools, req.NoCalls = out, nil, false
	return req
}
