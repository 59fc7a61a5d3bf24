package offline

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"chatvault/internal/base/lazyregexp"
	"chatvault/internal/base/text"
)

// span is a range of days: from the midnight of its first day to the midnight after its last. A zero end is open; the
// zero value means any time.
type span struct{ from, to time.Time }

func (w span) isZero() bool { return w.from.IsZero() && w.to.IsZero() }

// holds reports whether an ISO date lies in the span.
func (w span) holds(date string) bool {
	return (w.from.IsZero() || date >= w.from.Format(time.DateOnly)) && (w.to.IsZero() || date < w.to.Format(time.DateOnly))
}

// shown formats the span for a filter: "2026-11-23 to 2026-11-29".
func (w span) shown() string {
	first, last := w.from.Format(time.DateOnly), w.to.AddDate(0, 0, -1).Format(time.DateOnly)
	switch {
	case w.isZero():
		return ""
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
	units    = `(day|week|month|year)s?`
)

var (
	timeRE = lazyregexp.New(`(?i)\b(?:(until|till|by|before|since|from|after|on|in|during|for|of|over)\s+)?(?:the\s+)?(?:` + // 1
		`(today|yesterday|tomorrow)` + // 2
		`|(this|last|next|past|coming)\s+(?:(\d+|two|three|four|five|six|seven|ten|few)\s+)?` + units + // 3, 4, 5
		`|(\d+|a|an|two|three|four|five|six|seven|ten)\s+` + units + `\s+ago` + // 6, 7
		`|(?:(last|next|this)\s+)?(` + weekdays + `)` + // 8, 9
		`|(\d{4}-\d{2}-\d{2})\s+to\s+(\d{4}-\d{2}-\d{2})` + // 10, 11
		`|(\d{4}-\d{2}-\d{2}|\d{1,2}(?:st|nd|rd|th)?\s+(?:of\s+)?(?:` + months + `)(?:,?\s+\d{4})?|(?:` + months + `)\s+\d{1,2}(?:st|nd|rd|th)?\b(?:,?\s+\d{4})?)` + // 12
		`|((?:` + months + `)(?:\s+\d{4})?|(?:19|20)\d{2})` + // 13
		`)\b`)
	numbers = map[string]int{"a": 1, "an": 1, "two": 2, "few": 3, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "ten": 10}
)

// findSpan returns the first time named in a text, and the text without it. A month or a year alone counts only after
// a preposition.
func findSpan(s string, now time.Time) (w span, rest string) {
	for _, at := range timeRE().FindAllStringSubmatchIndex(s, -1) {
		m := make([]string, len(at)/2)
		for i := range m {
			m[i] = strings.ToLower(group(s, at, i))
		}
		if m[13] != "" && m[1] == "" {
			continue
		}
		if w = spanOf(m, midnight(now)); w.isZero() {
			continue
		}
		switch m[1] {
		case "until", "till", "by":
			w.from = time.Time{}
		case "before":
			w.from, w.to = time.Time{}, w.from
		case "since":
			w.to = time.Time{}
		case "from":
			if len(m[12]) == len(time.DateOnly) {
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

// group returns group i of a match, or "".
func group(s string, at []int, i int) string {
	if at == nil || at[2*i] < 0 {
		return ""
	}
	return s[at[2*i]:at[2*i+1]]
}

// after returns the time n days, weeks, months or years after t.
func after(t time.Time, n int, unit string) time.Time {
	in := map[string][3]int{"day": {0, 0, n}, "week": {0, 0, 7 * n}, "month": {0, n, 0}, "year": {n, 0, 0}}[unit]
	return t.AddDate(in[0], in[1], in[2])
}

// spanOf returns the span for the groups of timeRE, or zero for an impossible date.
func spanOf(m []string, today time.Time) span {
	switch {
	case m[2] != "":
		return calendarSpan(today, "day", map[string]int{"yesterday": -1, "tomorrow": 1}[m[2]])
	case m[3] == "past" || m[4] != "":
		n := number(m[4])
		if m[3] == "next" || m[3] == "coming" {
			return span{today, after(today, n, m[5]).AddDate(0, 0, 1)}
		}
		return span{after(today, -n, m[5]), today.AddDate(0, 0, 1)}
	case m[3] != "":
		return calendarSpan(today, m[5], map[string]int{"last": -1, "next": 1, "coming": 1}[m[3]])
	case m[6] != "":
		return calendarSpan(today, m[7], -number(m[6]))
	case m[9] != "":
		return weekday(m[9], m[8], m[1], today)
	case m[10] != "":
		return span{date(m[10], today).from, date(m[11], today).to}
	}
	return date(m[12]+m[13], today)
}

func number(s string) int {
	if n, err := strconv.Atoi(s); err == nil {
		return min(n, 10000)
	}
	return max(numbers[s], 1)
}

// calendarSpan returns the day, week (from Monday), month or year that is n units after the one of today.
func calendarSpan(today time.Time, name string, n int) span {
	from := today
	switch name {
	case "week":
		from = from.AddDate(0, 0, -(int(from.Weekday())+6)%7)
	case "month":
		from = from.AddDate(0, 0, 1-from.Day())
	case "year":
		from = from.AddDate(0, 0, 1-from.YearDay())
	}
	from = after(from, n, name)
	return span{from, after(from, 1, name)}
}

// weekday returns the last day of this name up to today, or the next one after "next" or a word such as "until".
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
	return calendarSpan(today, "day", -n)
}

// dateLayouts are the written forms of a day, a month and a year.
var dateLayouts = []struct {
	layout string
	unit   string
}{{time.DateOnly, "day"}, {"2 Jan 2006", "day"}, {"Jan 2 2006", "day"}, {"2 Jan", "day"}, {"Jan 2", "day"}, {"Jan 2006", "month"}, {"Jan", "month"}, {"2006", "year"}}

// datePartRE matches what a layout does not have, except for its groups.
var datePartRE = lazyregexp.New(`(\d)(?:st|nd|rd|th)\b|\bof\b|,|([a-z]{3})[a-z]*`)

// date parses a day, month or year. Without a year it is the last one, or a day in the next six months.
func date(s string, today time.Time) span {
	s = text.OneLine(datePartRE().ReplaceAllString(s, "$1$2"))
	for _, l := range dateLayouts {
		t, err := time.Parse(l.layout, s)
		if err != nil {
			continue
		}
		from := time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, today.Location())
		if t.Year() == 0 {
			from = from.AddDate(today.Year(), 0, 0)
			if latest := map[string]int{"day": 6}[l.unit]; from.After(today.AddDate(0, latest, 0)) {
				from = from.AddDate(-1, 0, 0)
			}
		}
		return span{from, after(from, 1, l.unit)}
	}
	return span{}
}
