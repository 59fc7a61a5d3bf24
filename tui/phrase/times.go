package phrase

import "time"

// Time is a time as one says it: "2:05 PM", "Nov 20, 2:05 PM", "Nov 20, 2025".
func Time(t, now time.Time) string {
	t = t.In(now.Location())
	switch {
	case t.IsZero():
		return ""
	case t.Year() != now.Year():
		return t.Format("Jan 2, 2006")
	case t.YearDay() != now.YearDay():
		return t.Format("Jan 2, 3:04 PM")
	}
	return t.Format("3:04 PM")
}

// Day is a day as one says it: "today", "yesterday", "Nov 3", "Nov 3, 2025".
func Day(t, now time.Time) string {
	t = t.In(now.Location())
	switch yesterday := now.AddDate(0, 0, -1); {
	case t.IsZero():
		return "another time"
	case t.Year() == now.Year() && t.YearDay() == now.YearDay():
		return "today"
	case t.Year() == yesterday.Year() && t.YearDay() == yesterday.YearDay():
		return "yesterday"
	case t.Year() != now.Year():
		return t.Format("Jan 2, 2006")
	}
	return t.Format("Jan 2")
}
