package chat

import (
	"fmt"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"
)

// Dated is an item of something that happened at a time.
type Dated interface {
	// At says when; the zero time: it is not known.
	At(t time.Time)
	// Time is when, or the zero time.
	Time() time.Time
}

// dated is when an item was.
type dated struct{ at time.Time }

// At says when it was.
func (d *dated) At(t time.Time) { d.at = t }

// Time is when it was; the zero time where that is not known.
func (d *dated) Time() time.Time { return d.at }

// Ago says how long ago t was, as one says it: "2 min ago", "3 h ago", "yesterday", "Nov 3"; nothing
// in the first minute. until is how long it stays true.
func Ago(t, now time.Time) (text string, until time.Duration) {
	const day = 24 * time.Hour
	t = t.In(now.Location())
	d := max(now.Sub(t), 0)
	switch {
	case t.IsZero():
		return "", 0
	case d < time.Minute:
		return "", time.Minute - d
	case d < time.Hour:
		return fmt.Sprintf("%d min ago", d/time.Minute), time.Minute - d%time.Minute
	case d < day:
		return fmt.Sprintf("%d h ago", d/time.Hour), time.Hour - d%time.Hour
	}
	midnight := func(t time.Time, days int) time.Time {
		return time.Date(t.Year(), t.Month(), t.Day()+days, 0, 0, 0, 0, t.Location())
	}
	until = max(midnight(now, 1).Sub(now), time.Minute)
	switch days := int(midnight(now, 0).Sub(midnight(t, 0)).Round(day) / day); {
	case days <= 1:
		return "yesterday", until
	case days < 7:
		return fmt.Sprintf("%d days ago", days), until
	case t.Year() == now.Year():
		return t.Format("Jan 2"), until
	}
	return t.Format("Jan 2, 2006"), until
}

// Exact is a time in full, as it is shown of what is selected: "Sat, Nov 21, 12:04 PM".
func Exact(t, now time.Time) string {
	t = t.In(now.Location())
	switch {
	case t.IsZero():
		return ""
	case t.Year() != now.Year():
		return t.Format("Mon, Jan 2, 2006, 3:04 PM")
	}
	return t.Format("Mon, Jan 2, 3:04 PM")
}

// right puts quiet text at the right end of a line of the given width; false where there is no room.
func right(env *Env, line, text string, width int) (string, bool) {
	const gap = 2
	room := width - ansi.StringWidth(line) - ansi.StringWidth(text)
	if text == "" || room < gap {
		return line, false
	}
	return line + strings.Repeat(" ", room) + env.Styles.Muted.Render(text), true
}
