package session

import (
	"fmt"
	"strings"
	"testing"

	"chatvault/conversation"
)

func TestHistoryItems(t *testing.T) {
	type (
		message = conversation.Message
		call    = conversation.ToolCall
	)
	c := &conversation.Conversation{
		Turns: []conversation.Turn{
			{
				ID: "t1", Mode: "plan", Plan: true, Question: "Carry it out?", Options: []string{"Yes", "No"},
				Messages: []message{
					{Role: conversation.RoleUser, Content: "sort them", Source: "direct"},
					{Role: conversation.RoleAssistant, ToolCalls: []call{{ID: "1", Name: "list_files", Target: "Inbox"}, {ID: "2", Name: "task_list"}}},
					{Role: conversation.RoleTool, ToolCallID: "1", ToolName: "list_files", Summary: "3 items"},
					{Role: conversation.RoleTool, ToolCallID: "2", ToolName: "task_list"},
					{Role: conversation.RoleAssistant, Content: "First this."},
					{Role: conversation.RoleAgent, Content: "Carry it out?", IsQuestion: true},
				},
			},
			{
				ID: "t2", Failed: true, Error: "no network",
				Messages: []message{{Role: conversation.RoleUser, Content: "go on", Source: "goal"}},
			},
			{
				ID: "t3", Question: "Which?", Options: []string{"a", "b"},
				Messages: []message{
					{Role: conversation.RoleUser, Content: "and now", Source: "direct"},
					{Role: conversation.RoleTool, ToolName: "ask_user", Content: "Error: no", IsError: true},
					{Role: conversation.RoleUser, Content: "quickly", Source: "direct"},
					{Role: conversation.RoleAgent, Content: "Looking."},
					{Role: conversation.RoleAgent, Content: "Which?", IsQuestion: true},
				},
			},
		},
		Compaction: &conversation.Compaction{Through: "t1", Summary: "s"},
	}
	var got []string
	for _, i := range itemsOf(c, 0, len(c.Turns)) {
		got = append(got, strings.TrimSpace(fmt.Sprint(i.Role, " ", i.Content, " ", i.Target, " ", i.Options, i.Plan, i.Added)))
	}
	want := `user sort them  [] true false
tool list_files Inbox [] false false
assistant First this.  [] false false
question Carry it out?  [] false false
summary s  [] false false
goal go on  [] false false
error no network  [] false false
user and now  [] false false
tool ask_user  [] false false
user quickly  [] false true
agent_message Looking.  [] false false
question Which?  [a b] false false`
	if text := strings.Join(got, "\n"); text != want {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
}
