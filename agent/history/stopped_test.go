package history

import (
	"strings"
	"testing"
	"unicode/utf8"

	"chatvault/conversation"
)

// TestStops checks that the description of stopped turns is bounded and omits changes to private files.
func TestStops(t *testing.T) {
	record := []conversation.Message{
		{Role: conversation.RoleAssistant, Content: strings.Repeat("word ", 2000)},
		{Role: conversation.RoleTool, ToolName: "read_file", Content: "secret"},
	}
	s := StopOf(strings.Repeat("z", 2*maxStoppedText), record, "and so", []string{"edited 98.md", "edited 99.md"})
	if n := utf8.RuneCountInString(s.Text); n > maxStoppedText+100 || !strings.Contains(s.Text, "characters left out") {
		t.Errorf("a request of %d characters", n)
	}
	if n := utf8.RuneCountInString(s.Said); n > maxStoppedSaid+100 || !strings.HasSuffix(s.Said, "and so") || strings.Contains(s.Said, "secret") {
		t.Errorf("a description of %d characters", n)
	}
	lines := Stops([]Stop{s, {Text: "hm", Changes: []string{"edited 98.md"}}}, func(_, line string) bool { return strings.Contains(line, "98.md") })
	if len(lines) != 2 || !strings.HasPrefix(lines[0], "The user stopped an earlier request (“zzz") || !strings.Contains(lines[0], "”). It had already done this: edited 99.md.\nWhat you had said by then:\n> word") {
		t.Errorf("%.300q", lines)
	}
	if lines[1] != "The user stopped the previous request (“hm”). What it had changed is private now." {
		t.Errorf("%q", lines[1])
	}
}
