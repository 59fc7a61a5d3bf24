package offline

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"chatvault/internal/lazyregexp"
)

// span is a range of days. From is the midnight of the first day, to that after the last; a zero end is open.
type span struct {
	from, to time.Time
	words    string // as the person wrote it
}

func (w span) isZero() bool { return w.words == "" }

// holds reports whether an ISO date lies in the span.
func (w span) holds(date string) bool {
	return (w.from.IsZero() || date >= w.from.Format(time.DateOnly)) && (w.to.IsZero() || date < w.to.Format(time.DateOnly))
}

// shown is the span as filters show it: "2026-11-23 to 2026-11-29".
func (w span) shown() string {
	first, last := w.from.Format(time.DateOnly), w.to.AddDate(0, 0, -1).Format(time.DateOnly)
	switch {
	case w.from.IsZero():
		return "until " + last
	case w.to.IsZero():
		return "from " + first
	case first == last:
		return first
	}
	return first + " to " + last
}

const (
	months   = `jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?`
	weekdays = `(?:sun|mon|tues|wednes|thurs|fri|satur)day`
	units    = `(day|week|weekend|month|year)s?`
)

var (
	timeRE = lazyregexp.New(`(?i)\b(?:(until|till|by|before|since|from|after|on|in|during|for|of|over)\s+)?(?:the\s+)?(?:` +
		`(\d{4}-\d{2}-\d{2})(?:\s+to\s+(\d{4}-\d{2}-\d{2}))?` + // 2, 3
		`|(today|yesterday|tomorrow)` + // 4
		`|(this|last|next|past|coming)\s+(?:(\d+|two|three|four|five|six|seven|ten|few)\s+)?` + units + // 5, 6, 7
		`|(\d+|a|an|two|three|four|five|six|seven|ten)\s+` + units + `\s+ago` + // 8, 9
		`|(\d{1,2})(?:st|nd|rd|th)?\s+(?:of\s+)?(` + months + `)(?:,?\s+(\d{4}))?` + // 10, 11, 12
		`|(` + months + `)\s+(\d{1,2})(?:st|nd|rd|th)?\b(?:,?\s+(\d{4}))?` + // 13, 14, 15
		`|(?:(last|next|this)\s+)?(` + weekdays + `)` + // 16, 17
		`|(` + months + `)(?:\s+(\d{4}))?` + // 18, 19
		`|((?:19|20)\d{2})` + // 20
		`)\b`)
	numbers = map[string]int{"a": 1, "an": 1, "two": 2, "few": 3, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "ten": 10}
)

// findSpan finds the first time that a text names, and returns the text without it. A month or a year alone counts
// after a preposition only.
func findSpan(s string, now time.Time) (w span, rest string) {
	for _, at := range timeRE().FindAllStringSubmatchIndex(s, -1) {
		m := make([]string, len(at)/2)
		for i := range m {
			if at[2*i] >= 0 {
				m[i] = strings.ToLower(s[at[2*i]:at[2*i+1]])
			}
		}
		if m[18]+m[20] != "" && m[1] == "" {
			continue
		}
		w = meantSpan(m, midnight(now))
		if w.to.IsZero() {
			continue
		}
		w.words = strings.TrimSpace(s[at[0]:at[1]])
		switch m[1] {
		case "until", "till", "by":
			w.from = time.Time{}
		case "before":
			w.from, w.to = time.Time{}, w.from
		case "since", "from":
			if m[1] == "since" || m[2] != "" && m[3] == "" {
				w.to = time.Time{}
			}
		case "after":
			w.from, w.to = w.to, time.Time{}
		}
		return w, strings.TrimSpace(s[:at[0]] + " " + s[at[1]:])
	}
	return span{}, s
}

func midnight(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, t.Location())
}

func days(from time.Time, n int) span { return span{from: from, to: from.AddDate(0, 0, n)} }

// meantSpan is the span of a match of timeRE; zero where there is no such day.
func meantSpan(m []string, today time.Time) span {
	switch {
	case m[2] != "":
		from, err := time.ParseInLocation(time.DateOnly, m[2], today.Location())
		to, errTo := time.ParseInLocation(time.DateOnly, m[3], today.Location())
		if err != nil {
			return span{}
		}
		if m[3] != "" && errTo == nil {
			return span{from: from, to: to.AddDate(0, 0, 1)}
		}
		return days(from, 1)
	case m[4] != "":
		return days(today.AddDate(0, 0, map[string]int{"yesterday": -1, "tomorrow": 1}[m[4]]), 1)
	case m[6] != "" || m[5] == "past":
		n := number(m[6])
		if m[5] == "next" || m[5] == "coming" {
			return span{from: today, to: shifted(today, m[7], n).AddDate(0, 0, 1)}
		}
		return span{from: shifted(today, m[7], -n), to: today.AddDate(0, 0, 1)}
	case m[5] != "":
		return unit(today, m[7], map[string]int{"last": -1, "next": 1, "coming": 1}[m[5]])
	case m[8] != "":
		return unit(shifted(today, m[9], -number(m[8])), m[9], 0)
	case m[10] != "":
		return date(m[10], m[11], m[12], today)
	case m[13] != "":
		return date(m[14], m[13], m[15], today)
	case m[17] != "":
		return weekday(m[17], m[16], m[1], today)
	case m[18] != "":
		year := today.Year()
		if m[19] != "" {
			year, _ = strconv.Atoi(m[19])
		} else if month(m[18]) > today.Month() {
			year--
		}
		from := time.Date(year, month(m[18]), 1, 0, 0, 0, 0, today.Location())
		return span{from: from, to: from.AddDate(0, 1, 0)}
	}
	year, _ := strconv.Atoi(m[20])
	from := time.Date(year, 1, 1, 0, 0, 0, 0, today.Location())
	return span{from: from, to: from.AddDate(1, 0, 0)}
}

// weekday is the last day of a name up to today; the next one after "next", or after a word such as "until".
func weekday(name, which, before string, today time.Time) span {
	n := 0
	for n < 6 && !strings.EqualFold(today.AddDate(0, 0, -n).Weekday().String(), name) {
		n++
	}
	switch {
	case which == "next" || which == "" && slices.Contains([]string{"until", "till", "by", "before"}, before):
		n -= 7
	case which == "last" && n == 0:
		n = 7
	}
	return days(today.AddDate(0, 0, -n), 1)
}

func number(s string) int {
	if n, err := strconv.Atoi(s); err == nil {
		return min(n, 10000)
	}
	return max(numbers[s], 1)
}

func shifted(t time.Time, name string, n int) time.Time {
	switch name {
	case "day":
		return t.AddDate(0, 0, n)
	case "week", "weekend":
		return t.AddDate(0, 0, 7*n)
	case "month":
		return t.AddDate(0, n, 0)
	}
	return t.AddDate(n, 0, 0)
}

// unit is the day, week (from Monday), weekend, month or year around a day, n of them later.
func unit(day time.Time, name string, n int) span {
	day = shifted(day, name, n)
	monday := day.AddDate(0, 0, -(int(day.Weekday())+6)%7)
	switch name {
	case "day":
		return days(day, 1)
	case "week":
		return days(monday, 7)
	case "weekend":
		return days(monday.AddDate(0, 0, 5), 2)
	case "month":
		from := time.Date(day.Year(), day.Month(), 1, 0, 0, 0, 0, day.Location())
		return span{from: from, to: from.AddDate(0, 1, 0)}
	}
	from := time.Date(day.Year(), 1, 1, 0, 0, 0, 0, day.Location())
	return span{from: from, to: from.AddDate(1, 0, 0)}
}

func month(name string) time.Month {
	m := time.January
	for m < time.December && !strings.EqualFold(m.String()[:3], name[:3]) {
		m++
	}
	return m
}

// date is a day of a month; the last one where the year is not given and it would be more than half a year ahead.
func date(day, name, year string, today time.Time) span {
	d, _ := strconv.Atoi(day)
	y := today.Year()
	if year != "" {
		y, _ = strconv.Atoi(year)
	}
	t := time.Date(y, month(name), d, 0, 0, 0, 0, today.Location())
	if t.Day() != d {
		return span{}
	}
	if year == "" && t.After(today.AddDate(0, 6, 0)) {
		t = t.AddDate(-1, 0, 0)
	}
	return days(t, 1)
}
