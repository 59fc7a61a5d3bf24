// Package history is what a model is told of what was: a conversation as every endpoint takes it, what of
// it is withheld by now, and in words the conversations before, turns that were stopped, what was
// attached, the question that waits, and how large the vault is. It knows no turn that runs.
package history

import (
	"encoding/json"
	"slices"

	"chatvault/agent/llm"
	"chatvault/conversation"
	"chatvault/internal/text"
)

// Messages turns what was recorded into what a model is sent. Agent messages are left out: the
// call of send_message that sent them is in the history already.
func Messages(record []conversation.Message) []llm.Message {
	out := make([]llm.Message, 0, len(record))
	for _, m := range record {
		switch m.Role {
		case conversation.RoleUser:
			out = append(out, llm.Message{Role: llm.RoleUser, Content: m.Content, Time: m.Time, Context: m.Context, Attached: attachedText(m.Attached), Media: media(m.Attached), Program: m.ByProgram()})
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

// Of is the conversation so far as a model is sent it, valid whatever stands on disk, and
// how it divides into turns. Every turn is closed by an assistant message, so that a user's
// message never follows an unanswered call. Turns that were compacted are their summary.
func Of(c *conversation.Conversation) (out []llm.Message, past []Past) {
	ids := map[string]bool{}
	if x := c.Compaction; x != nil {
		out = Summary(x.Summary)
		past = append(past, Past{Turn: x.Through, Messages: len(out), Summary: x.Summary})
	}
	turns := c.Turns[c.Compacted():]
	sealed := len(turns) - 1 // the first turn whose reasoning is still sent
	for sealed > 0 && !turns[sealed].Unsealed {
		sealed--
	}
	for i := range turns {
		t := &turns[i]
		turn := withLastWord(t, valid(Messages(t.Messages), ids))
		if i < sealed {
			turn = Unsealed(turn)
		}
		if len(turn) == 0 {
			continue
		}
		out = append(out, turn...)
		past = append(past, Past{Turn: t.ID, Messages: len(turn)})
	}
	return out, past
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

// Summary returns the messages that replace summarized turns: the summary and its acknowledgment, so that the roles
// alternate.
func Summary(summary string) []llm.Message {
	return []llm.Message{
		{Role: llm.RoleUser, Program: true, Content: "[The older part of this conversation is left out to save room. This is its summary:]\n\n" + summary},
		{Role: llm.RoleAssistant, Program: true, Content: "I know what the summary says and will continue from there."},
	}
}

// valid makes a turn's messages what every endpoint accepts: each call answered once, right
// after the message that made it, no id that is used already, no message without content,
// arguments that are an object. What a turn of ours records is so already; what an import or a
// person left may not be.
func valid(messages []llm.Message, used map[string]bool) []llm.Message {
	var out []llm.Message
	for i, m := range messages {
		switch {
		case m.Role == llm.RoleTool: // taken with the call it answers
		case len(m.ToolCalls) > 0:
			out = append(out, withAnswers(m, messages[i+1:], used)...)
		case !text.Blank(m.Content):
			out = append(out, m)
		}
	}
	return out
}

// withAnswers is an assistant message with its calls and then their answers.
func withAnswers(m llm.Message, after []llm.Message, used map[string]bool) []llm.Message {
	if text.Blank(m.Content) {
		m.Content = ""
	}
	answers := llm.Answers(m.ToolCalls, after)
	calls := make([]llm.ToolCall, len(m.ToolCalls))
	for i, c := range m.ToolCalls {
		if answers[i].Content == "" {
			answers[i].Content = "(empty)"
		}
		c.ID = llm.FreshID(c.ID, used)
		answers[i].ToolCallID = c.ID
		c.Arguments = string(llm.Arguments(c.Arguments))
		calls[i] = c
	}
	m.ToolCalls = calls
	return append([]llm.Message{m}, answers...)
}

// Past is an earlier turn in a Task's History.
type Past struct {
	Turn     string // its id
	Messages int    // of History
	// Summary, where it is not empty, stands for that turn and all before it.
	Summary string
}

// SystemLength counts the messages before the first turn.
func SystemLength(history []llm.Message) int {
	n := slices.IndexFunc(history, func(m llm.Message) bool { return m.Role != llm.RoleSystem })
	if n < 0 {
		return len(history)
	}
	return n
}

// RecordEcho is what a response's endpoint may want back with it, as it is recorded; empty: nothing.
// Of an answer that called no tool nothing is wanted but the thoughts that stood in its content.
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

// UnsealedEcho is what was recorded so without how the model reasoned: only the ids of its calls.
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

// echoOf is what was recorded so; nil where nothing was, or what was cannot be read.
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
