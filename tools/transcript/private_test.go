package transcript

import (
	"strings"
	"testing"

	"chatvault/conversation"
)

func TestNamesPrivate(t *testing.T) {
	private := func(path string) bool { return strings.HasPrefix(path, "Diary/") }
	for args, want := range map[string]bool{
		`{"path":"Diary/a.md"}`:                        true,
		`{"source":"a.md","destination":"Diary/a.md"}`: true,
		`{"source":"Diary/a.md","destination":"a.md"}`: true,
		`{"path":"a.md","content":"Diary/a.md"}`:       false,
		`{"path":7}`:                                   false,
		`[]`:                                           false,
		``:                                             false,
	} {
		if got := NamesPrivate(args, "1: x", private); got != want {
			t.Errorf("%s: %v", args, got)
		}
	}
	for result, want := range map[string]bool{
		"1: x\n[Path: Diary/a.md]":        true, // the note was named like a link
		"1: x\n[Path: b.md]":              false,
		"1: [Path: Diary/a.md]":           false,
		"1: x\n[Path: Diary/a.md]\n2: y]": false,
	} {
		if got := NamesPrivate(`{"path":"[[a]]"}`, result, private); got != want {
			t.Errorf("%q: %v", result, got)
		}
	}
}

func TestConversationNamesNothingPrivate(t *testing.T) {
	c := &conversation.Conversation{ID: "c", Turns: []conversation.Turn{{ID: "t", Messages: []conversation.Message{
		{Role: conversation.RoleAssistant, ToolCalls: []conversation.ToolCall{
			{ID: "1", Name: "read_file", Arguments: `{"path":"Diary/a.md"}`, Target: "Diary/a.md"},
			{ID: "2", Name: "read_file", Arguments: `{"path":"b.md"}`, Target: "b.md"},
		}},
		{Role: conversation.RoleTool, ToolCallID: "1", ToolName: "read_file", Summary: "2 lines"},
		{Role: conversation.RoleTool, ToolCallID: "2", ToolName: "read_file", Summary: "3 lines"},
	}}}}
	private := func(path string) bool { return strings.HasPrefix(path, "Diary/") }
	text := strings.Join(Lines(c, private), "\n")
	if strings.Contains(text, "Diary") || !strings.Contains(text, "Tool read_file: 2 lines") || !strings.Contains(text, "Tool read_file b.md: 3 lines") {
		t.Error(text)
	}
	if c.Turns[0].Messages[0].ToolCalls[0].Target == "" {
		t.Error("what is recorded was changed")
	}
}
