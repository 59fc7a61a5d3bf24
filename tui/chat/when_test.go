package chat

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"chatvault/tui/theme"
)

func TestAgo(t *testing.T) {
	zone := time.FixedZone("", -5*3600)
	now := time.Date(2026, 11, 21, 15, 30, 20, 0, zone)
	for _, tt := range []struct {
		at    time.Time
		text  string
		until time.Duration
	}{
		{time.Time{}, "", 0},
		{now, "", time.Minute},
		{now.Add(time.Hour), "", time.Minute}, // another machine's clock
		{now.Add(-59 * time.Second), "", time.Second},
		{now.Add(-time.Minute), "1 min ago", time.Minute},
		{now.Add(-2*time.Minute - 10*time.Second), "2 min ago", 50 * time.Second},
		{now.Add(-59*time.Minute - 59*time.Second), "59 min ago", time.Second},
		{now.Add(-time.Hour), "1 h ago", time.Hour},
		{now.Add(-23*time.Hour - 50*time.Minute), "23 h ago", 10 * time.Minute},
		{now.Add(-24 * time.Hour), "yesterday", 8*time.Hour + 29*time.Minute + 40*time.Second},
		{time.Date(2026, 11, 19, 23, 59, 0, 0, zone), "2 days ago", 8*time.Hour + 29*time.Minute + 40*time.Second},
		{time.Date(2026, 11, 15, 0, 0, 0, 0, zone).UTC(), "6 days ago", 8*time.Hour + 29*time.Minute + 40*time.Second},
		{time.Date(2026, 11, 14, 9, 0, 0, 0, zone), "Nov 14", 8*time.Hour + 29*time.Minute + 40*time.Second},
		{time.Date(2025, 12, 3, 9, 0, 0, 0, zone), "Dec 3, 2025", 8*time.Hour + 29*time.Minute + 40*time.Second},
	} {
		if text, until := Ago(tt.at, now); text != tt.text || until != tt.until {
			t.Errorf("Ago(%v) = %q, %v; want %q, %v", tt.at, text, until, tt.text, tt.until)
		}
	}
	for want, at := range map[string]time.Time{
		"": {}, "Sat, Nov 21, 3:30 PM": now.UTC(), "Wed, Dec 3, 2025, 9:05 AM": time.Date(2025, 12, 3, 9, 5, 0, 0, zone),
	} {
		if got := Exact(at, now); got != want {
			t.Errorf("Exact(%v) = %q, want %q", at, got, want)
		}
	}
}

// What is said of a time is true as long as it says, and another thing after that.
func TestAgoStaysTrue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
		at := now.Add(-time.Duration(rapid.Int64Range(0, int64(24*time.Hour)-1).Draw(t, "ago")))
		text, until := Ago(at, now)
		if last, _ := Ago(at, now.Add(until-1)); last != text {
			t.Fatalf("%q becomes %q before %v have passed", text, last, until)
		}
		if next, _ := Ago(at, now.Add(until)); next == text {
			t.Fatalf("%q is said still after %v", text, until)
		}
	})
}

// A message grows no line as it ages, and nothing of it moves but the time.
func TestAgingMovesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		env := testEnv(theme.Dark)
		now := noon
		env.Now = func() time.Time { return now }
		words := rapid.IntRange(1, 60).Draw(t, "words")
		u := NewUser(env, strings.TrimSpace(strings.Repeat("word ", words)), rapid.SampledFrom([]string{"", "voice"}).Draw(t, "label"))
		u.At(noon)
		width := rapid.IntRange(10, 130).Draw(t, "width")
		was := u.Lines(width)
		now = now.Add(time.Duration(rapid.IntRange(1, 100_000).Draw(t, "minutes")) * time.Minute)
		text, _ := Ago(noon, now)
		lines := u.Lines(width)
		if len(lines) != len(was) {
			t.Fatalf("%d lines, %d before", len(lines), len(was))
		}
		told := 0
		for i, l := range lines {
			before, l := ansi.Strip(was[i]), ansi.Strip(l)
			if ansi.StringWidth(l) > width {
				t.Fatalf("%q is wider than %d", l, width)
			}
			if l == before {
				continue
			}
			told++
			if rest, ok := strings.CutSuffix(l, text); !ok || strings.TrimRight(rest, " ") != strings.TrimRight(before, " ") {
				t.Fatalf("%q became %q", before, l)
			}
		}
		if told > 1 || (told == 1) != u.Tells() || width >= whenWidth && told == 0 {
			t.Fatalf("the time stands in %d lines", told)
		}
	})
}
