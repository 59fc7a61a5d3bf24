package agent

import (
	"testing"
	"time"

	"chatvault/agent/event"
	"chatvault/agent/inbox"
)

func entry(id string, minute int) inbox.Entry {
	when := time.Date(2026, 3, 2, 12, minute, 0, 0, time.UTC)
	return inbox.Entry{Inbound: event.Inbound{ID: id, Text: "text of " + id, Source: event.SourceDirect, Time: when}, Owner: "1-dead"}
}

func saved(t *testing.T, b *inbox.Box, entries ...inbox.Entry) {
	t.Helper()
	for _, e := range entries {
		if err := b.Save(e); err != nil {
			t.Fatal(err)
		}
	}
}
