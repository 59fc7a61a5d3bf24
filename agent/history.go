package agent

import (
	"chatvault/agent/llm"
	"chatvault/conversation"
)

// toLLM turns what was recorded into what a model is sent. Agent messages are left out: the
// call of send_message that sent them is in the history already.
func toLLM(record []conversation.Message) []llm.Message {
	out := make([]llm.Message, 0, len(record))
	for _, m := range record {
		switch m.Role {
		case conversation.RoleUser:
			out = append(out, llm.Message{Role: llm.RoleUser, Content: m.Content, Time: m.Time, Context: m.Context})
		case conversation.RoleAssistant:
			a := llm.Message{Role: llm.RoleAssistant, Content: m.Content}
			for _, c := range m.ToolCalls {
				a.ToolCalls = append(a.ToolCalls, llm.ToolCall{ID: c.ID, Name: c.Name, Arguments: c.Arguments})
			}
			out = append(out, a)
		case conversation.RoleTool:
			out = append(out, llm.Message{Role: llm.RoleTool, Content: m.Content, ToolCallID: m.ToolCallID, ToolName: m.ToolName, IsError: m.IsError})
		}
	}
	return out
}

// history is the conversation so far as a model is sent it. Every turn is closed by an
// assistant message, so that a user's message never follows an unanswered call.
func history(c *conversation.Conversation) []llm.Message {
	var out []llm.Message
	for i := range c.Turns {
		t := &c.Turns[i]
		out = append(out, toLLM(t.Messages)...)
		if n := len(out); n == 0 || out[n-1].Role == llm.RoleAssistant && len(out[n-1].ToolCalls) == 0 {
			continue
		}
		switch {
		case t.Failed:
			out = append(out, llm.Message{Role: llm.RoleAssistant, Content: "(This request failed before it was answered: " + t.Error + ")"})
		case t.Question != "":
			out = append(out, llm.Message{Role: llm.RoleAssistant, Content: t.Question})
		default:
			out = append(out, llm.Message{Role: llm.RoleAssistant, Content: "(Nothing more was said.)"})
		}
	}
	return out
}
