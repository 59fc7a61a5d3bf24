package session

import (
	"testing"
	"time"
)

// The name of a time zone is used if it matches the clock.
func TestTimeZone(t *testing.T) {
	lisbon, err := time.LoadLocation("Europe/Lisbon")
	if err != nil {
		t.Skip(err)
	}
	now := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)
	t.Setenv("TZ", "Europe/Lisbon")
	if got := timeZone(now.In(lisbon)); got != "Europe/Lisbon" {
		t.Errorf("told %q", got)
	}
	if got := timeZone(now); got != "" { // an hour off: the clock has another zone
		t.Errorf("told %q of another clock", got)
	}
}
