package history

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"chatvault/agent/llm/dialect"
	"chatvault/conversation"
	"chatvault/internal/llmtest/historytest"
)

// TestHistoryIsValid: a history is valid even if calls were never answered, answered twice or in the wrong place, IDs
// repeat in other turns, or names and arguments are invented.
func TestHistoryIsValid(t *testing.T) {
	text := rapid.SampledFrom([]string{"", " \n", "text", "more"})
	id := rapid.SampledFrom([]string{"", "call_0", "call_1", "a b", strings.Repeat("x", 60)})
	name := rapid.SampledFrom([]string{"read_file", "", "no such/tool", "ö", strings.Repeat("y", 90)})
	args := rapid.SampledFrom([]string{"", "{}", `{"a":1}`, "[1]", "{", "null", `"x"`})
	call := rapid.Custom(func(t *rapid.T) conversation.ToolCall {
		return conversation.ToolCall{ID: id.Draw(t, "id"), Name: name.Draw(t, "name"), Arguments: args.Draw(t, "arguments")}
	})
	role := rapid.SampledFrom([]conversation.Role{conversation.RoleUser, conversation.RoleAssistant, conversation.RoleTool, conversation.RoleAgent, "odd"})
	message := rapid.Custom(func(t *rapid.T) conversation.Message {
		m := conversation.Message{Role: role.Draw(t, "role"), Content: text.Draw(t, "text")}
		switch m.Role {
		case conversation.RoleAssistant:
			m.ToolCalls = rapid.SliceOfN(call, 0, 3).Draw(t, "calls")
		case conversation.RoleTool:
			m.ToolCallID, m.ToolName = id.Draw(t, "answers"), name.Draw(t, "tool")
		}
		return m
	})
	turn := rapid.Custom(func(t *rapid.T) conversation.Turn {
		return conversation.Turn{
			ID: "t", Messages: rapid.SliceOfN(message, 0, 6).Draw(t, "messages"),
			Failed: rapid.Bool().Draw(t, "failed"), Question: text.Draw(t, "question"),
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		c := &conversation.Conversation{Turns: rapid.SliceOfN(turn, 0, 5).Draw(t, "turns")}
		messages := Join(Of(c))
		sent := dialect.WithPortableIDs(dialect.Target{}, dialect.Normal(messages), nil)
		if f := historytest.Faults(sent); len(f) > 0 {
			t.Fatalf("%v\nin %+v", f, sent)
		}
	})
}

// TestHistoryKeepsValidMessages: messages recorded by our own turns are neither dropped nor reordered.
func TestHistoryKeepsValidMessages(t *testing.T) {
	c := &conversation.Conversation{Turns: []conversation.Turn{{ID: "1", Messages: []conversation.Message{
		{ID: "1", Role: conversation.RoleUser, Content: "find it"},
		{Role: conversation.RoleAssistant, Content: "Looking.", ToolCalls: []conversation.ToolCall{
			{ID: "a", Name: "read_file", Arguments: `{"path":"a"}`}, {ID: "b", Name: "send_message", Arguments: `{}`},
		}},
		{Role: conversation.RoleAgent, Content: "shown"},
		{Role: conversation.RoleTool, ToolCallID: "a", ToolName: "read_file", Content: "1: a"},
		{Role: conversation.RoleTool, ToolCallID: "b", ToolName: "send_message", Content: ""},
		{Role: conversation.RoleAssistant, Content: "Here."},
	}}, {ID: "2", Failed: true, Error: "no network", Messages: []conversation.Message{
		{ID: "2", Role: conversation.RoleUser, Content: "again"},
	}}}}
	var got []string
	messages := Join(Of(c))
	for _, m := range messages {
		line := string(m.Role) + ":" + m.Content
		for _, call := range m.ToolCalls {
			line += " " + call.ID + "=" + call.Name + call.Arguments
		}
		got = append(got, line+" "+m.ToolCallID)
	}
	want := []string{
		"user:find it ", `assistant:Looking. a=read_file{"path":"a"} b=send_message{} `, "tool:1: a a", "tool: b", "assistant:Here. ",
		"user:again ", "assistant:(This request failed before it was answered: no network) ",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
