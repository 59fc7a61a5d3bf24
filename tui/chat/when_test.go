package chat

import (
	"testing"
	"time"
)

func TestExact(t *testing.T) {
	zone := time.FixedZone("", -5*3600)
	now := time.Date(2026, 11, 21, 15, 30, 20, 0, zone)
	for want, at := range map[string]time.Time{
		"": {}, "Sat, Nov 21, 3:30 PM": now.UTC(), "Wed, Dec 3, 2025, 9:05 AM": time.Date(2025, 12, 3, 9, 5, 0, 0, zone),
	} {
		if got := Exact(at, now); got != want {
			t.Errorf("Exact(%v) = %q, want %q", at, got, want)
		}
	}
}
