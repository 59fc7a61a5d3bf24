package grammar

import (
	"strconv"
	"strings"
	"time"
)

var (
	monthWord   = `(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)`
	weekdayWord = `(?:sun|mon|tues|wednes|thurs|fri|satur)day`
	numberWord  = `(?:\d+|a|an|one|two|three|four|five|six|seven|eight|nine|ten|couple of|few)`
)

// timePattern is a way to say a time, and what it means.
type timePattern struct {
	re    expression
	mean  func(m []string, now time.Time) (Range, bool)
	alone bool // counts only where the text is about time anyway (see FindTime)
}

func timeRE(s string) expression {
	return pattern(`(?:\b(?:from|in|on|since|during|over|within|for|of|at)\s+(?:the\s+)?)?\b` + s + `\b`)
}

var timePatterns = []timePattern{
	{re: timeRE(`(\d{4}-\d{2}-\d{2})`), mean: func(m []string, now time.Time) (Range, bool) {
		t, err := time.ParseInLocation(time.DateOnly, m[1], now.Location())
		return days(t, 1), err == nil
	}},
	{re: timeRE(`(today|yesterday|the day before yesterday|tomorrow|tonight|this morning|this afternoon|this evening|last night)`), mean: func(m []string, now time.Time) (Range, bool) {
		shift := map[string]int{"yesterday": -1, "last night": -1, "the day before yesterday": -2, "tomorrow": 1}[strings.ToLower(m[1])]
		return days(Midnight(now).AddDate(0, 0, shift), 1), true
	}},
	{re: timeRE(`(this|last|past|previous|next)\s+(week|weekend|month|year|quarter)`), mean: func(m []string, now time.Time) (Range, bool) {
		return unit(strings.ToLower(m[2]), now, map[string]int{"last": -1, "past": -1, "previous": -1, "next": 1}[strings.ToLower(m[1])]), true
	}},
	{re: timeRE(`(?:last|past|previous)\s+(` + numberWord + `)\s+(day|week|month|year|hour)s?`), mean: func(m []string, now time.Time) (Range, bool) {
		from := back(now, number(m[1]), m[2])
		return Range{From: from, To: now.Add(time.Minute)}, true
	}},
	{re: timeRE(`(` + numberWord + `)\s+(day|week|month|year)s?\s+ago`), mean: func(m []string, now time.Time) (Range, bool) {
		at := back(now, number(m[1]), m[2])
		if strings.EqualFold(m[2], "day") {
			return days(Midnight(at), 1), true
		}
		return unit(strings.ToLower(m[2]), at, 0), true
	}},
	{re: timeRE(`(?:the\s+)?(\d{1,2})(?:st|nd|rd|th)?\s+(?:of\s+)?(` + monthWord + `)(?:,?\s+(\d{4}))?`), mean: func(m []string, now time.Time) (Range, bool) {
		return dayOf(m[1], m[2], m[3], now)
	}},
	{re: timeRE(`(` + monthWord + `)\s+(\d{1,2})(?:st|nd|rd|th)?(?:,?\s+(\d{4}))?`), mean: func(m []string, now time.Time) (Range, bool) {
		return dayOf(m[2], m[1], m[3], now)
	}},
	{re: pattern(`\b(?:in|during|from|since|for|of|last|this)\s+(` + monthWord + `)(?:,?\s+(\d{4}))?\b`), mean: func(m []string, now time.Time) (Range, bool) {
		mo := month(m[1])
		y := now.Year()
		if m[2] != "" {
			y, _ = strconv.Atoi(m[2])
		} else if mo > now.Month() {
			y--
		}
		return stretch(time.Date(y, mo, 1, 0, 0, 0, 0, now.Location()), 0, 1, 0), true
	}},
	{re: pattern(`\b(?:in|during|from|since|of)\s+((?:19|20)\d{2})\b`), mean: func(m []string, now time.Time) (Range, bool) {
		y, _ := strconv.Atoi(m[1])
		return stretch(time.Date(y, 1, 1, 0, 0, 0, 0, now.Location()), 1, 0, 0), true
	}},
	{re: timeRE(`(?:next|coming|in(?: the next)?|within(?: the next)?|over the next)\s+(` + numberWord + `)\s+(day|week|month|year)s?`), mean: func(m []string, now time.Time) (Range, bool) {
		to := back(now, -number(m[1]), m[2])
		if strings.HasPrefix(strings.ToLower(m[0]), "in ") && !strings.Contains(m[0], "next") {
			return days(to, 1), true
		}
		return Range{From: Midnight(now), To: to.AddDate(0, 0, 1)}, true
	}},
	{re: timeRE(`(next|coming)\s+(` + weekdayWord + `)`), mean: func(m []string, now time.Time) (Range, bool) {
		return days(Midnight(now).AddDate(0, 0, 7-behind(m[2], now)), 1), true
	}},
	{re: timeRE(`(?:(last|this|past)\s+)?(` + weekdayWord + `)`), mean: func(m []string, now time.Time) (Range, bool) {
		n := behind(m[2], now)
		if n == 0 && m[1] != "" && !strings.EqualFold(m[1], "this") {
			n = 7
		}
		return days(Midnight(now).AddDate(0, 0, -n), 1), true
	}},
	{re: timeRE(`(recently|lately|these days|recent)`), alone: true, mean: func(_ []string, now time.Time) (Range, bool) {
		return Range{From: Midnight(now).AddDate(0, 0, -13), To: now.Add(time.Minute)}, true
	}},
}

// behind is how many days before now a weekday was last, at least 0.
func behind(weekday string, now time.Time) int {
	n := 0
	for n < 6 && !strings.EqualFold(now.AddDate(0, 0, -n).Weekday().String(), weekday) {
		n++
	}
	return n
}

// The ends of a time without a beginning or an end.
var (
	longAgo = time.Date(1, 1, 2, 0, 0, 0, 0, time.UTC)
	farOff  = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)
)

var (
	betweenRE = pattern(`\b(?:between\s+(.+?)\s+and|from\s+(.+?)\s+(?:to|until|till|through))\s+(.+?)(?:[?.!,;]|$)`)
	boundRE   = pattern(`\b(before|until|till|up to|by|no later than|after|later than)\s+(.+?)(?:[?.!,;]|\s+(?:onwards?|on)\b|$)`)
)

// FindTime finds the first time that text names, relative to now, and returns the text without
// it: a day, a week and so on, or what is before it, after it or between two. "since X" reaches up to
// now. loose also takes "recently".
func FindTime(text string, now time.Time, loose bool) (Range, string) {
	if at := betweenRE().FindStringSubmatchIndex(text); at != nil {
		m := groups(text, at)
		a, restA := oneTime(m[1]+m[2], now)
		b, restB := oneTime(m[3], now)
		if !a.IsZero() && !b.IsZero() && restA == "" && b.From.Before(a.From) { // "between December and February"
			b.From, b.To = b.From.AddDate(1, 0, 0), b.To.AddDate(1, 0, 0)
		}
		if !a.IsZero() && !b.IsZero() && restA == "" {
			return Range{From: a.From, To: b.To, Words: strings.ToLower(strings.TrimSpace(strings.TrimSuffix(text[at[0]:at[1]], restB)))}, without(text, at[0], at[1], restB)
		}
	}
	if at := boundRE().FindStringSubmatchIndex(text); at != nil {
		m := groups(text, at)
		if r, rest := oneTime(m[2], now); !r.IsZero() && !strings.Contains(" "+rest, " ago") && strings.HasSuffix(m[2], rest) {
			r.Words = strings.ToLower(strings.TrimSpace(m[1] + " " + strings.TrimSuffix(m[2], rest)))
			switch strings.ToLower(m[1]) {
			case "before":
				r.From, r.To = longAgo, r.From
			case "after", "later than":
				r.From, r.To = r.To, farOff
			default: // until, by
				r.From = longAgo
			}
			return r, without(text, at[0], at[5], rest)
		}
	}
	return plainTime(text, now, loose)
}

// oneTime is a time that may stand without a preposition.
func oneTime(text string, now time.Time) (Range, string) {
	for _, said := range []string{text, "in " + text} {
		if r, rest := plainTime(said, now, false); !r.IsZero() {
			return r, rest
		}
	}
	return Range{}, text
}

// without is a text without the part from i to j, but for what stands at its end.
func without(text string, i, j int, keep string) string {
	return strings.Join(strings.Fields(text[:i]+" "+keep+" "+text[j:]), " ")
}

func groups(text string, at []int) []string {
	m := make([]string, len(at)/2)
	for i := range m {
		if at[2*i] >= 0 {
			m[i] = text[at[2*i]:at[2*i+1]]
		}
	}
	return m
}

// plainTime is FindTime for a time that is one stretch.
func plainTime(text string, now time.Time, loose bool) (Range, string) {
	for _, p := range timePatterns {
		if p.alone && !loose {
			continue
		}
		at := p.re().FindStringSubmatchIndex(text)
		if at == nil {
			continue
		}
		m := groups(text, at)
		r, ok := p.mean(m, now)
		if !ok {
			continue
		}
		if strings.HasPrefix(strings.ToLower(m[0]), "since") {
			r.To = now.Add(time.Minute)
		}
		r.Words = strings.ToLower(strings.TrimSpace(m[0]))
		return r, without(text, at[0], at[1], "")
	}
	return Range{}, text
}

// Midnight is when the day of t begins.
func Midnight(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, t.Location())
}

func days(from time.Time, n int) Range { return stretch(from, 0, 0, n) }

func stretch(from time.Time, years, months, days int) Range {
	return Range{From: from, To: from.AddDate(years, months, days)}
}

// unit is the week (from Monday), weekend, month, quarter or year around now, shifted by n.
func unit(name string, now time.Time, n int) Range {
	day := Midnight(now)
	switch name {
	case "week", "weekend":
		monday := day.AddDate(0, 0, -(int(day.Weekday())+6)%7+7*n)
		if name == "weekend" {
			return days(monday.AddDate(0, 0, 5), 2)
		}
		return days(monday, 7)
	case "month":
		return stretch(time.Date(day.Year(), day.Month()+time.Month(n), 1, 0, 0, 0, 0, day.Location()), 0, 1, 0)
	case "quarter":
		return stretch(time.Date(day.Year(), (day.Month()-1)/3*3+1+time.Month(3*n), 1, 0, 0, 0, 0, day.Location()), 0, 3, 0)
	default:
		return stretch(time.Date(day.Year()+n, 1, 1, 0, 0, 0, 0, day.Location()), 1, 0, 0)
	}
}

func back(now time.Time, n int, unit string) time.Time {
	switch strings.ToLower(unit) {
	case "hour":
		return now.Add(-time.Duration(n) * time.Hour)
	case "day":
		return Midnight(now).AddDate(0, 0, -n)
	case "week":
		return Midnight(now).AddDate(0, 0, -7*n)
	case "month":
		return Midnight(now).AddDate(0, -n, 0)
	}
	return Midnight(now).AddDate(-n, 0, 0)
}

func number(s string) int {
	if n, err := strconv.Atoi(s); err == nil {
		return min(n, 10000)
	}
	words := map[string]int{"two": 2, "couple of": 2, "three": 3, "few": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10}
	if n, ok := words[strings.ToLower(s)]; ok {
		return n
	}
	return 1
}

func month(s string) time.Month {
	m := time.January
	for m < time.December && !strings.EqualFold(m.String()[:3], s[:3]) {
		m++
	}
	return m
}

func dayOf(day, mo, year string, now time.Time) (Range, bool) {
	d, _ := strconv.Atoi(day)
	y := now.Year()
	if year != "" {
		y, _ = strconv.Atoi(year)
	}
	t := time.Date(y, month(mo), d, 0, 0, 0, 0, now.Location())
	if t.Day() != d || d == 0 {
		return Range{}, false
	}
	if year == "" && t.After(now.AddDate(0, 6, 0)) {
		t = t.AddDate(-1, 0, 0)
	}
	return days(t, 1), true
}
