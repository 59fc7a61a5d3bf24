package chat

import "time"

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
