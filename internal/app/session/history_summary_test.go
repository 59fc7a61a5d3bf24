package session

import (
	"testing"
	"time"

	"chatvault/conversation"
)

// A turn that failed, was summarized and retried shares its retry's ID. The summary appears once, where it was made.
func TestOneSummary(t *testing.T) {
	at := time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC)
	c := &conversation.Conversation{
		Turns:      []conversation.Turn{{ID: "t1", Ended: at, Failed: true, Error: "no network"}, {ID: "t1", Ended: at.Add(time.Hour)}},
		Compaction: &conversation.Compaction{Through: "t1", Summary: "s", Time: at.Add(time.Minute)},
	}
	n := 0
	for _, i := range itemsOf(c, 0, len(c.Turns)) {
		if i.Role == HistorySummary {
			n++
		}
	}
	if n != 1 {
		t.Errorf("the summary stands %d times", n)
	}
}
