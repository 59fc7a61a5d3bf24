package tui

import (
	"testing"
	"time"
)

// batches simulates a stream with the given interval and returns how many of n batches were gathered and the total
// time.
func batches(interval time.Duration, n int) (waited int, took time.Duration) {
	p := pace{}
	began := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	now := began
	for range n {
		wait := p.next(now)
		if wait > 0 {
			waited++
		}
		now = now.Add(wait)
		// The next delta is there, or arrives.
		if rest := now.Sub(began) % interval; rest > 0 && wait < interval {
			now = now.Add(interval - rest)
		} else if wait == 0 {
			now = now.Add(interval)
		}
	}
	return waited, now.Sub(began)
}

func TestPace(t *testing.T) {
	for _, tt := range []struct {
		interval          time.Duration
		least, most       int           // gathered batches of 120
		shortest, longest time.Duration // total time
	}{
		{time.Millisecond, 100, 119, 3 * time.Second, 4 * time.Second},
		{10 * time.Millisecond, 100, 119, 3 * time.Second, 4 * time.Second},
		{30 * time.Millisecond, 0, 0, 3600 * time.Millisecond, 3600 * time.Millisecond},
		{time.Second, 0, 0, 2 * time.Minute, 2 * time.Minute},
	} {
		waited, took := batches(tt.interval, 120)
		if waited < tt.least || waited > tt.most || took < tt.shortest || took > tt.longest {
			t.Errorf("pieces each %v: %d of 120 batches are waited for, in %v", tt.interval, waited, took)
		}
	}
}
