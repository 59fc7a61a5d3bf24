package endpoint

import (
	"testing"
	"time"
)

func TestGathering(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	g := readPace{}
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
		{"a token came some time ago", 200, 10 * time.Millisecond, gatherTime - 10*time.Millisecond},
		{"tokens come slowly", 200, time.Second, 0},
		{"the clock was set back", 200, -time.Hour, gatherTime},
		{"more bytes are waiting", gatherBelow, 0, 0},
	} {
		g.took(tt.bytes, now)
		if got := g.due(now.Add(tt.since)); got != tt.want {
			t.Errorf("%s: waits %v, want %v", tt.name, got, tt.want)
		}
	}
}

// TestFloodIsThrottled: a flood is read at floodPace after the first burst; slower streams are not delayed.
func TestFloodIsThrottled(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name     string
		every    time.Duration // between two pieces of 16 KiB
		min, max time.Duration // delay of 32 MiB
	}{
		{"as fast as it can be read", 0, 3700 * time.Millisecond, 3800 * time.Millisecond},
		{"a megabyte a second", time.Second / 64, 0, 0},
	} {
		g, now, held := readPace{}, time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC), time.Duration(0)
		for n := 0; n < 32<<20; n += 16 << 10 {
			d := g.due(now)
			if d > gatherTime {
				t.Fatalf("%s: waits %v at once", tt.name, d)
			}
			held += d
			now = now.Add(d + tt.every)
			g.took(16<<10, now)
		}
		if held < tt.min || held > tt.max {
			t.Errorf("%s: delayed by %v, want %v to %v", tt.name, held, tt.min, tt.max)
		}
	}
}
