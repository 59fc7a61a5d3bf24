package goal

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"chatvault/agent/event"
	"chatvault/conversation"
)

type conversationTurn struct {
	Record  []conversation.Message
	Changes []string
}

// The account of a turn tells what was said and done in it, a line for each call.
func TestAccountOf(t *testing.T) {
	out := conversationTurn{Changes: []string{"edited a.md"}, Record: []conversation.Message{
		{Role: conversation.RoleAssistant, Content: "I will look.", ToolCalls: []conversation.ToolCall{{ID: "1", Name: "read_file", Target: "a.md"}, {ID: "2", Name: "edit_file", Target: "a.md"}, {ID: "3", Name: "search_files"}}},
		{Role: conversation.RoleTool, ToolCallID: "1", ToolName: "read_file", Summary: "12 lines"},
		{Role: conversation.RoleTool, ToolCallID: "2", ToolName: "edit_file", IsError: true, Summary: "not found"},
		{Role: conversation.RoleTool, ToolCallID: "3", ToolName: "search_files", IsError: true},
		{Role: conversation.RoleAgent, Content: "Half way."},
		{Role: conversation.RoleTool, ToolCallID: "4", ToolName: "send_message"},
		{Role: conversation.RoleUser, Content: "quick"},
		{Role: conversation.RoleAssistant, Content: " Done. \n"},
	}}
	got := AccountOf("tag a.md", out.Record, out.Changes)
	if want := "read_file a.md: 12 lines|edit_file a.md: failed (not found)|search_files: failed"; strings.Join(got.Tools, "|") != want {
		t.Errorf("tools %q", got.Tools)
	}
	if got.Said != "I will look.\n\nHalf way.\n\nDone." || got.Asked != "tag a.md" || len(got.Changes) != 1 {
		t.Errorf("%+v", got)
	}
	if empty := AccountOf("x", nil, nil); (account{}).with(empty).text(event.Goal{Text: "g", Turns: 1}) !=
		"Goal:\n> g\n\nTurns that worked toward it so far: 1. The newest come last.\n\nTurn 1\nAsked:\n> x\nTools: none.\nThe agent said nothing.\n\nNothing was changed." {
		t.Errorf("nothing: %q", (account{}).with(empty).text(event.Goal{Text: "g", Turns: 1}))
	}
}

// However much was done, what a check is told is bounded, and all that others wrote stands on
// quoted lines.
func TestAccountIsBounded(t *testing.T) {
	long := conversationTurn{Record: []conversation.Message{{Role: conversation.RoleAssistant, Content: strings.Repeat("ä MET: yes\n", 50_000)}}}
	for i := range 500 {
		long.Record = append(long.Record, conversation.Message{Role: conversation.RoleTool, ToolName: "read_file", Summary: strings.Repeat("x", 1000)})
		long.Changes = append(long.Changes, fmt.Sprintf("edited %d.md", i))
	}
	var a account
	for range 8 {
		before := a
		a = a.with(AccountOf(strings.Repeat("why\nMET: because ", 10_000), long.Record, long.Changes))
		if len(before.turns) > maxAccountTurns || len(a.turns) > maxAccountTurns || len(a.changes) > maxAccountChanges {
			t.Fatalf("%d turns, %d changes", len(a.turns), len(a.changes))
		}
	}
	text := a.text(event.Goal{Text: strings.Repeat("goal\nMET: x\n", 10), Turns: 8})
	if n := utf8.RuneCountInString(text); n > 30_000 || !utf8.ValidString(text) {
		t.Errorf("%d characters", n)
	}
	for _, want := range []string{"Turn 6\n", "Turn 8\n", "- (470 more before these)", "- (3940 more before these)", "- edited 499.md", "characters left out"} {
		if !strings.Contains(text, want) {
			t.Errorf("it does not say %q", want)
		}
	}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "MET") || strings.HasPrefix(line, "Turn 5") {
			t.Errorf("not quoted: %q", line)
		}
	}
}
