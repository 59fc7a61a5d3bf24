package phrase

import (
	"testing"
	"time"
)

func TestFitting(t *testing.T) {
	ways := []string{"a long way", "short", "s"}
	for width, want := range map[int]string{20: "a long way", 9: "short", 4: "s", 0: "s"} {
		if got := Fitting(ways, width); got != want {
			t.Errorf("in %d cells: %q, want %q", width, got, want)
		}
	}
}

func TestSpread(t *testing.T) {
	for _, tt := range []struct {
		left, right string
		width       int
		want        string
	}{{"ab", "cd", 8, "ab    cd"}, {"ab", "cd", 5, "ab"}, {"abcdef", "", 4, "abc…"}, {"ab", "", 8, "ab"}} {
		if got := Spread(tt.left, tt.right, tt.width); got != tt.want {
			t.Errorf("%q and %q in %d cells: %q, want %q", tt.left, tt.right, tt.width, got, tt.want)
		}
	}
}

func TestTimes(t *testing.T) {
	now := time.Date(2026, 11, 21, 14, 5, 0, 0, time.UTC)
	for _, tt := range []struct {
		at   time.Time
		want string
	}{
		{now.Add(-time.Hour), "1:05 PM"},
		{now.AddDate(0, 0, -1), "Nov 20, 2:05 PM"},
		{now.AddDate(-1, 0, 0), "Nov 21, 2025"},
		{time.Time{}, ""},
	} {
		if got := Time(tt.at, now); got != tt.want {
			t.Errorf("%v: %q, want %q", tt.at, got, tt.want)
		}
	}
}
