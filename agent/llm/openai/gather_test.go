package openai

import (
	"testing"
	"time"
)

func TestGathering(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	g := gathering{}
	for range gatherAfter {
		if d := g.due(now); d != 0 {
			t.Fatalf("read %d waits %v", g.reads, d)
		}
		g.took(200, now)
	}
	for _, tt := range []struct {
		name  string
		bytes int
		since time.Duration
		want  time.Duration
	}{
		{"a token came at once", 200, 0, gatherTime},
		{"a token came some time ago", 200, 10 * time.Millisecond, 20 * time.Millisecond},
		{"tokens come slowly", 200, time.Second, 0},
		{"the clock was put back", 200, -time.Hour, gatherTime},
		{"there is more than was read", gatherBelow, 0, 0},
	} {
		g.took(tt.bytes, now)
		if got := g.due(now.Add(tt.since)); got != tt.want {
			t.Errorf("%s: waits %v, want %v", tt.name, got, tt.want)
		}
	}
}
