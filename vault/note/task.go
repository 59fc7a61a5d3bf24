package note

import (
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"chatvault/internal/lazyregexp"
)

// boxAt reads the box a list item's content begins with: its mark, and how many bytes it takes.
func boxAt(content []byte) (mark rune, size int, ok bool) {
	if len(content) < 3 || content[0] != '[' {
		return 0, 0, false
	}
	mark, n := utf8.DecodeRune(content[1:])
	size = 1 + n + 1
	if len(content) < size || content[size-1] != ']' || mark == '\n' || mark == '\r' {
		return 0, 0, false
	}
	if len(content) > size && content[size] != ' ' && content[size] != '\t' {
		return 0, 0, false // [x](a.md) is a link, [x]y is text
	}
	return mark, size, true
}

// dueRE finds a day that a task is due: behind an emoji of the Tasks plugin, in a field of Dataview,
// in words such as "(due 2026-11-24)" and "due: 30 November", or behind "@", as the Kanban plugin
// writes it. Other emojis stand before the days that a task is planned for, begins and ends.
var dueRE = lazyregexp.New(`(?i)(?:[📅📆🗓]\x{FE0F}?|(?:^|[^\pL\pN_-])due(?:[ \t]+(?:date|on|by))?(?:[ \t]*::?)?|(?:^|[^\pL\pN])@\{?)[ \t]*\[{0,2}` +
	`(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,?[ \t]+)?` +
	`(?:(\d{4}-\d\d-\d\d)(?:\D|$)|(\d{1,2})(?:st|nd|rd|th)?\.?[ \t]+(?:of[ \t]+)?` + monthRE + `\b(?:,?[ \t]+(\d{4})\b)?|` + monthRE + `\.?[ \t]+(\d{1,2})(?:st|nd|rd|th)?\b(?:,?[ \t]+(\d{4})\b)?)`)

const monthRE = `(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)`

// maxDueText is how many bytes of a task's text are searched for a due date: the expression takes about
// 0.4 ms a kilobyte, so that a line of a megabyte would hold up the index.
const maxDueText = 4 << 10

// due returns the first day that a text says something is due, as midnight UTC; the zero time if
// none. One without a year is the nearest to today, past or to come.
func due(text string, today time.Time) time.Time {
	text = text[:min(len(text), maxDueText)]
	if !strings.ContainsAny(text, "dD📅📆🗓@") {
		return time.Time{}
	}
	for _, m := range dueRE().FindAllStringSubmatch(text, -1) {
		if m[1] != "" {
			if day, err := time.Parse(time.DateOnly, m[1]); err == nil {
				return day
			}
			continue
		}
		month, _ := time.Parse("Jan", (m[3] + m[5])[:3])
		day, _ := strconv.Atoi(m[2] + m[6])
		year, _ := strconv.Atoi(m[4] + m[7])
		years := []int{year}
		if year == 0 {
			years = []int{today.Year() - 1, today.Year(), today.Year() + 1}
		}
		var best time.Time
		for _, y := range years {
			when := time.Date(y, month.Month(), day, 0, 0, 0, 0, time.UTC)
			if when.Day() == day && (best.IsZero() || when.Sub(today).Abs() < best.Sub(today).Abs()) {
				best = when
			}
		}
		if !best.IsZero() {
			return best
		}
	}
	return time.Time{}
}
