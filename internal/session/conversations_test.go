package session

import (
	"strings"
	"testing"
	"time"

	"chatvault/conversation"
	"chatvault/internal/session/telling"
)

func TestSpan(t *testing.T) {
	at := time.Date(2026, 11, 21, 23, 50, 0, 0, time.Local)
	for d, want := range map[time.Duration]string{
		20 * time.Second: "2026-11-21 23:50", 5 * time.Minute: "2026-11-21 23:50 to 23:55", time.Hour: "2026-11-21 23:50 to 2026-11-22 00:50",
	} {
		if got := telling.Span(at, at.Add(d)); got != want {
			t.Errorf("%v: %q", d, got)
		}
	}
}

func TestMapStrings(t *testing.T) {
	at := time.Now()
	d := telling.ConversationJSON{
		ID: "a", Started: at, Compaction: &conversation.Compaction{Summary: "b"},
		Turns:    []conversation.Turn{{Messages: []conversation.Message{{Role: "user", Content: "c", ToolCalls: []conversation.ToolCall{{Arguments: "d"}}}}, Options: []string{"e"}}},
		Branches: []conversation.Branch{{Turns: []conversation.Turn{{Error: "f"}}}},
	}
	got := telling.MapStrings(d, strings.ToUpper)
	m := got.Turns[0].Messages[0]
	if all := got.ID + got.Compaction.Summary + m.Content + m.ToolCalls[0].Arguments + got.Turns[0].Options[0] + got.Branches[0].Turns[0].Error; all != "ABCDEF" || !got.Started.Equal(at) {
		t.Errorf("mapped: %s %v", all, got.Started)
	}
	if d.ID+d.Compaction.Summary+d.Turns[0].Messages[0].Content+d.Turns[0].Options[0] != "abce" {
		t.Errorf("the original was changed: %+v", d)
	}
	if got.Pending != nil || got.Turns[0].Messages[0].ToolCalls == nil {
		t.Error("nil and not")
	}
}
