package note

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"chatvault/internal/base/lazyregexp"
)

// rule is a recurrence in the words of the Tasks plugin: "every 2 weeks on Monday, Friday when done".
type rule struct {
	unit     string // "day", "week", "month" or "year"
	every    int
	months   []int
	days     []int // of the month; -1 is the last
	weekdays []weekday
	whenDone bool // counted from the day of completion
}

// weekday is every such day of a period, or the nth, from its end if negative.
type weekday struct{ nth, day int }

var (
	ruleWord = lazyregexp.New(`\d+(?:st|nd|rd|th|\.)?|\pL+|[^\s\pL\d]+`)
	nthWord  = lazyregexp.New(`^([1-9]\d?)(?:st|nd|rd|th|\.)$`)
)

// parseRule parses a recurrence. It accepts what the plugin accepts, except ends such as "for 3 times".
func parseRule(text string) (r rule, ok bool) {
	text, r.whenDone = strings.CutSuffix(strings.ToLower(strings.TrimSpace(text)), "when done")
	words := ruleWord().FindAllString(text, -1)
	if len(words) < 2 || words[0] != "every" {
		return r, false
	}
	words = words[1:]
	r.every = 1
	if n, err := strconv.Atoi(words[0]); err == nil && n > 0 && n < 1000 && len(words) > 1 {
		r.every, words = n, words[1:]
	}
	switch unit := strings.TrimSuffix(words[0], "s"); {
	case slices.Contains([]string{"day", "week", "month", "year"}, unit):
		r.unit, words = unit, words[1:]
	case unit == "weekday" || nameAt(weekdayNames, words[0], 2) >= 0:
		r.unit = "week"
	case nameAt(monthNames, words[0], 3) > 0:
		r.unit = "year"
	default:
		return r, false
	}
	return r, r.read(words)
}

// read adds the days and months that words name and reports whether it understands all of them.
func (r *rule) read(words []string) bool {
	words = slices.DeleteFunc(words, func(w string) bool { return slices.Contains([]string{"on", "in", "at", "the", "day", "days"}, w) })
	for i := 0; i < len(words); i++ {
		nth := nthOf(words[i])
		if nth > 0 && i+1 < len(words) && words[i+1] == "last" {
			nth, i = -nth, i+1
		}
		at := i
		if nth != 0 {
			at++
		}
		day, month := -1, 0
		if at < len(words) {
			day, month = nameAt(weekdayNames, words[at], 2), nameAt(monthNames, words[at], 3)
		}
		switch {
		case day >= 0:
			r.weekdays = append(r.weekdays, weekday{nth, day})
			i = at
		case nth != 0:
			r.days = append(r.days, nth)
		case strings.TrimSuffix(words[i], "s") == "weekday":
			r.weekdays = append(r.weekdays, weekday{0, 1}, weekday{0, 2}, weekday{0, 3}, weekday{0, 4}, weekday{0, 5})
		case words[i] == "," || words[i] == "and" || words[i] == "or":
		case month > 0:
			r.months = append(r.months, month)
		default:
			return false
		}
	}
	return true
}

// nthOf returns the number of an ordinal such as "2nd" or "first", -1 for "last", and 0 for any other word.
func nthOf(word string) int {
	if m := nthWord().FindStringSubmatch(word); m != nil {
		n, _ := strconv.Atoi(m[1])
		return n
	}
	if word == "last" {
		return -1
	}
	return 1 + slices.Index([]string{"first", "second", "third"}, word)
}

var (
	weekdayNames = []string{"sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"}
	monthNames   = []string{"", "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"}
)

// nameAt returns the index of the name that word abbreviates to no fewer than least letters, or -1.
func nameAt(names []string, word string, least int) int {
	return slices.IndexFunc(names, func(name string) bool { return len(word) >= least && strings.HasPrefix(name, word) })
}

// maxRepeat is the number of days in which the next occurrence is sought: "every 8 years on February the 29th".
const maxRepeat = 366 * 60

// after returns the first occurrence after a day, from which the intervals are counted; zero if there is none.
func (r rule) after(base time.Time) time.Time {
	bare := len(r.months)+len(r.days)+len(r.weekdays) == 0
	switch {
	case bare && r.unit == "month":
		return addMonths(base, r.every)
	case bare && r.unit == "year":
		return addMonths(base, 12*r.every)
	}
	for n := 1; n < maxRepeat; n++ {
		if day := base.AddDate(0, 0, n); r.periods(base, n, day)%r.every == 0 && r.holds(day, base) {
			return day
		}
	}
	return time.Time{}
}

// periods returns the number of units between base and the day that is n days later.
func (r rule) periods(base time.Time, n int, day time.Time) int {
	switch r.unit {
	case "day":
		return n
	case "week": // it begins on Monday
		return (n + (int(base.Weekday())+6)%7) / 7
	case "month":
		return 12*(day.Year()-base.Year()) + int(day.Month()-base.Month())
	}
	return day.Year() - base.Year()
}

// holds reports whether the rule names a day. What it leaves open is as in base.
func (r rule) holds(day, base time.Time) bool {
	at, last := day.Day(), addMonths(day.AddDate(0, 0, 1-day.Day()), 1).AddDate(0, 0, -1).Day()
	switch {
	case len(r.months) > 0 && !slices.Contains(r.months, int(day.Month())):
		return false
	case len(r.days) > 0 && !slices.Contains(r.days, at) && !slices.Contains(r.days, at-last-1):
		return false
	case len(r.days)+len(r.weekdays) == 0:
		return r.unit == "day" || r.unit == "week" && day.Weekday() == base.Weekday() || r.unit[0] != 'w' && at == base.Day()
	}
	if r.unit == "year" && len(r.months) == 0 {
		at, last = day.YearDay(), time.Date(day.Year(), 12, 31, 0, 0, 0, 0, time.UTC).YearDay()
	}
	return len(r.weekdays) == 0 || slices.ContainsFunc(r.weekdays, func(w weekday) bool {
		return w.day == int(day.Weekday()) && (w.nth == 0 || w.nth == (at+6)/7 || w.nth == -(last-at+7)/7)
	})
}

// addMonths adds months to a day; if the month is shorter, the result is its last day.
func addMonths(day time.Time, n int) time.Time {
	first := time.Date(day.Year(), day.Month()+time.Month(n), 1, 0, 0, 0, 0, time.UTC)
	return first.AddDate(0, 0, min(day.Day(), first.AddDate(0, 1, -1).Day())-1)
}
