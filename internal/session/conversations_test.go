package session

import (
	"testing"
	"time"

	"chatvault/internal/session/export"
)

func TestSpan(t *testing.T) {
	at := time.Date(2026, 11, 21, 23, 50, 0, 0, time.Local)
	for d, want := range map[time.Duration]string{
		20 * time.Second: "2026-11-21 23:50", 5 * time.Minute: "2026-11-21 23:50 to 23:55", time.Hour: "2026-11-21 23:50 to 2026-11-22 00:50",
	} {
		if got := export.Span(at, at.Add(d)); got != want {
			t.Errorf("%v: %q", d, got)
		}
	}
}
