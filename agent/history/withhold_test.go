package history

import (
	"reflect"
	"strings"
	"testing"

	"chatvault/agent/prompts"
	"chatvault/conversation"
)

func TestSendable(t *testing.T) {
	turn := func(id string) conversation.Turn {
		return conversation.Turn{ID: id, Messages: []conversation.Message{
			{Role: conversation.RoleUser, Content: "look"},
			{Role: conversation.RoleAssistant, Echo: `{"endpoint":"e","model":"m","fields":{"reasoning":"the secret"},"calls":[{"id":"x1"},{"id":"x2"},{"id":"x3"}]}`, ToolCalls: []conversation.ToolCall{
				{ID: "1", Name: "read_file", Arguments: `{"path":"Diary/a.md"}`, Target: "Diary/a.md"},
				{ID: "2", Name: "read_file", Arguments: `{"path":"b.md"}`, Target: "b.md"},
				{ID: "3", Name: "search_files", Arguments: `{"pattern":"x"}`, Target: "x"},
			}},
			{Role: conversation.RoleTool, ToolCallID: "1", Content: "secret"},
			{Role: conversation.RoleTool, ToolCallID: "2", Content: "open"},
			{Role: conversation.RoleTool, ToolCallID: "3", Content: "## Diary/a.md\nLine 1: secret"},
			{Role: conversation.RoleAssistant, Content: "done"},
		}}
	}
	c := &conversation.Conversation{
		ID: "c", Turns: []conversation.Turn{turn("t1"), {ID: "t2", Messages: []conversation.Message{{Role: conversation.RoleUser, Content: "hello"}}}},
	}
	before := *c
	if Withheld(c, nil) != c || Withheld(nil, nil) != nil {
		t.Error("without rules the conversation changed")
	}
	past := Of(Withheld(c, func(arguments, result string) bool { return strings.Contains(arguments+result, "Diary/") }))
	messages := Join(past)
	all := ""
	for _, m := range messages {
		all += m.Content + "\n"
		if e := m.Echo; e != nil {
			all += string(e.Fields["reasoning"])
			if e.Endpoint != "e" || len(e.Calls) != 3 || e.Calls[2].ID != "x3" {
				t.Errorf("the calls' names are lost: %+v", e)
			}
		}
		for _, call := range m.ToolCalls {
			all += call.Arguments + "\n"
		}
	}
	if strings.Contains(all, "secret") || strings.Contains(all, "Diary") || strings.Count(all, withheldText) != 2 || strings.Count(all, "open") != 1 {
		t.Errorf("sent:\n%s", all)
	}
	if len(past) != 2 || strings.Count(all, `{"path":"b.md"}`) != 1 {
		t.Errorf("%d turns of:\n%s", len(past), all)
	}
	if !reflect.DeepEqual(before, *c) || c.Turns[0].Messages[2].Content != "secret" || c.Turns[0].Messages[1].ToolCalls[0].Target == "" {
		t.Error("the recorded turns were changed")
	}
}

// TestWithheldContext: context derived from a withheld message is withheld too.
func TestWithheldContext(t *testing.T) {
	withhold := func(arguments, result string) bool { return strings.Contains(arguments+result, "Diary") }
	stop := func(s Stop) string { return Stops([]Stop{s}, nil)[0] }
	for context, want := range map[string]string{
		"": "",
		Overview(prompts.Vars{Complete: true, Notes: 9, Folders: 2, Top: []prompts.FolderCount{{Path: "Diary", Notes: 5}, {Path: "a (1), b", Notes: 3}, {Path: "My Work, etc", Notes: 2}}}): "The vault holds 9 notes in 2 folders. The largest folders: My Work, etc/ (2).",
		Overview(prompts.Vars{Complete: true, Notes: 9, Folders: 1, Top: []prompts.FolderCount{{Path: "Diary", Notes: 5}}}):                                                                 "The vault holds 9 notes in 1 folder.",
		Overview(prompts.Vars{Complete: true, Notes: 9, Folders: 1, Top: []prompts.FolderCount{{Path: "Work", Notes: 5}}}) + "\nIt is late.":                                                "The vault holds 9 notes in 1 folder. The largest folders: Work/ (5).\nIt is late.",
		stop(Stop{Text: "look", Said: "- read_file {}"}) + "\n- read_file {\"path\":\"Diary/a.md\"}: 1: secret\nIt is late.":                                                                "The user stopped the previous request (“look”). It had changed nothing.\nWhat you had said by then:\n> - read_file {}\n" + withheldText + "\nIt is late.",
		stop(Stop{Text: "write", Changes: []string{"created Diary/a.md"}}) + "\nAttached to it: Diary/b.md. Read":                                                                           "The user stopped the previous request (“write”). " + withheldText + "\n" + withheldText,
	} {
		if got := withheldContext(context, withhold); got != want {
			t.Errorf("of %q\n%q stays, want\n%q", context, got, want)
		}
		if got := withheldContext(context, func(string, string) bool { return false }); got != context {
			t.Errorf("with nothing to withhold %q becomes %q", context, got)
		}
	}
	old := "Stopped.\nWhat the tools had returned by then; it is material, as of that time:\n(1 more before these)\n- read_file {\"path\":\"Diary/a.md\"}\n> 1: secret\nIt is late."
	if got := withheldContext(old, withhold); got != "Stopped.\nIt is late." {
		t.Errorf("of an older version's context, %q remains", got)
	}
}
