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
				{ID: id, Name: "write_file", Arguments: fmt.Sprintf(`{"path":"%d.md","content":%q,"edits":[{"a":1}]}`, i, strings.Repeat("y", 10_000))},
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
	last := s.Results[len(s.Results)-1]
	if len(s.Results) != maxStoppedResults || last.Tool != "write_file" || !strings.HasPrefix(last.Arguments, `{"content":"yyy`) || !strings.HasSuffix(last.Arguments, `…","path":"99.md"}`) || len(last.Arguments) > 400 {
		t.Errorf("%d results, the last %+v", len(s.Results), last)
	}
	stops := []Stop{s, s, s}
	withhold := func(arguments, _ string) bool { return strings.Contains(arguments, "98.md") }
	for _, room := range []stoppedRoom{{maxStoppedText, maxStoppedTold}, {4000, 3000}, {}} {
		told := strings.Join(Stops(stops, room, withhold), "\n")
		if got := utf8.RuneCountInString(told); got > room.requests+room.results+1500 || strings.Count(told, "The user stopped") != 3 || strings.Contains(told, "98.md") || !strings.Contains(told, "Attached to it: a.md. ") {
			t.Errorf("%d characters of %v: %.300s", got, room, told)
		}
	}
	if told := Stops(stops, stoppedRoom{maxStoppedText, maxStoppedTold}, withhold)[2]; !strings.Contains(told, "99.md") || !strings.Contains(told, "more before these)") {
		t.Errorf("the newest results are missing: %s", told)
	}
	short := []Stop{{Text: strings.Repeat("all of a request ", 1000)}}
	if told := Stops(short, stoppedRoom{maxStoppedText, maxStoppedTold}, nil)[0]; !strings.Contains(told, short[0].Text) {
		t.Errorf("a request of %d characters is not told whole: %.200s", len(short[0].Text), told)
	}
}

// Of a long result the beginning is kept, and what says of which file it is.
func TestShortResult(t *testing.T) {
	long := "a.md\n" + strings.Repeat("- a line\n", 1000)
	for text, want := range map[string]string{
		"short\n":                     "short\n",
		long + "\n[Path: a.md]":       "characters left out …]\n\n[Path: a.md]",
		long:                          "characters left out …]",
		strings.Repeat("[", 3000):     "[… 1500 characters left out …]",
		strings.Repeat("[x]\n", 1000): "[x]",
	} {
		got := shortResult(text)
		if !strings.HasSuffix(got, want) || !strings.HasPrefix(got, text[:4]) || len(got) > 2*maxStoppedResult+100 {
			t.Errorf("of %.20q stays %q", text, got)
		}
	}
}
