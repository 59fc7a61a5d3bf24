package history

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"chatvault/conversation"
)

// What is kept of a stopped turn, and what is told of all, is bounded; what may not be told any more is not.
func TestStoppedTurnsAreBounded(t *testing.T) {
	var record []conversation.Message
	for i := range 100 {
		id := fmt.Sprint(i)
		record = append(record,
			conversation.Message{Role: conversation.RoleAssistant, Content: strings.Repeat("word ", 200), ToolCalls: []conversation.ToolCall{
				{ID: id, Name: "write_file", Target: fmt.Sprint(i, ".md"), Arguments: fmt.Sprintf(`{"path":"%d.md","content":%q,"edits":[{"a":1}]}`, i, strings.Repeat("y", 10_000))},
			}},
			conversation.Message{Role: conversation.RoleTool, ToolCallID: id, ToolName: "write_file", Content: id + strings.Repeat("ä", 10_000)})
	}
	record = append(record, conversation.Message{Role: conversation.RoleTool, ToolCallID: "x", ToolName: "read_file", Content: "Error: Not run", IsError: true, Summary: SummaryStopped})
	s := StopOf(strings.Repeat("z", 2*maxStoppedText), []conversation.Message{{Attached: []conversation.Attachment{{Path: "a.md"}}}}, record, "and so", nil)
	if n := utf8.RuneCountInString(s.Text); n > maxStoppedText+100 || !strings.Contains(s.Text, "characters left out") {
		t.Errorf("a request of %d characters", n)
	}
	if n := utf8.RuneCountInString(s.Said); n > maxStoppedSaid+100 || !strings.HasSuffix(s.Said, "and so") {
		t.Errorf("%d characters were said", n)
	}
	if n := len(s.Calls); n != maxStoppedCalls || !strings.HasPrefix(s.Calls[n-1], `write_file {"path":"99.md"}: 99ää`) || utf8.RuneCountInString(s.Calls[n-1]) > maxStoppedCall+50 {
		t.Errorf("%d calls: %q", n, s.Calls)
	}
	stops := []Stop{s, s, s}
	withhold := func(_, line string) bool { return strings.Contains(line, "98.md") }
	for _, room := range []stoppedRoom{{maxStoppedText, maxStoppedTold}, {4000, 3000}, {}} {
		told := strings.Join(Stops(stops, room, withhold), "\n")
		if got := utf8.RuneCountInString(told); got > room.requests+room.results+1500 || strings.Count(told, "The user stopped") != 3 || strings.Contains(told, "98.md") || !strings.Contains(told, "Attached to it: a.md. ") {
			t.Errorf("%d characters of %v: %.300s", got, room, told)
		}
	}
	if told := Stops(stops, stoppedRoom{maxStoppedText, maxStoppedTold}, withhold)[2]; !strings.Contains(told, "99.md") {
		t.Errorf("the newest calls are missing: %s", told)
	}
	short := []Stop{{Text: strings.Repeat("all of a request ", 1000)}}
	if told := Stops(short, stoppedRoom{maxStoppedText, maxStoppedTold}, nil)[0]; !strings.Contains(told, short[0].Text) {
		t.Errorf("a request of %d characters is not told whole: %.200s", len(short[0].Text), told)
	}
}
