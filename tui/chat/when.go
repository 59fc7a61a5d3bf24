package chat

import "time"

// Dated is an item with a time.
type Dated interface {
	// At sets the time; the zero time means unknown.
	At(t time.Time)
	// Time returns the time, or the zero time.
	Time() time.Time
}

// dated is an item's time.
type dated struct{ at time.Time }

// At implements Dated.
func (d *dated) At(t time.Time) { d.at = t }

// Time implements Dated.
func (d *dated) Time() time.Time { return d.at }

// Exact formats a time in full, for the selected item: "Sat, Nov 21, 12:04 PM".
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
