package note

import (
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"chatvault/internal/base/lazyregexp"
)

var box = lazyregexp.New(`^\[([^\r\n])\](?:[ \t]|$)`)

// boxAt parses the checkbox at the start of a list item's content and returns its mark and length in bytes. [x](a.md)
// is a link, [x]y is text.
func boxAt(content []byte) (mark rune, size int, ok bool) {
	m := box().FindSubmatch(content)
	if m == nil {
		return 0, 0, false
	}
	mark, size = utf8.DecodeRune(m[1])
	return mark, size + len("[]"), true
}

// dueRE matches a task's due date: after an emoji of the Tasks plugin, in a Dataview field, in words such as "(due
// 2026-11-24)" and "due: 30 November", or after "@" as in the Kanban plugin. Other emojis mark the scheduled, start
// and end dates of a task.
var dueRE = lazyregexp.New(`(?i)(?:[📅📆🗓]\x{FE0F}?|(?:^|[^\pL\pN_-])due(?:[ \t]+(?:date|on|by))?(?:[ \t]*::?)?|(?:^|[^\pL\pN])@\{?)[ \t]*\[{0,2}` +
	`((?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,?[ \t]+)?` +
	`(?:(\d{4}-\d\d-\d\d)|(\d{1,2})(?:st|nd|rd|th)?\.?[ \t]+(?:of[ \t]+)?` + monthRE + `\b(?:,?[ \t]+(\d{4})\b)?|` + monthRE + `\.?[ \t]+(\d{1,2})(?:st|nd|rd|th)?\b(?:,?[ \t]+(\d{4})\b)?))(?:\D|$)`)

const monthRE = `(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)`

// maxDueText is the number of bytes of a task that are searched for a due date. The expression takes about 0.4 ms per
// KB, so a line of a megabyte would delay the index.
const maxDueText = 4 << 10

// due returns the first due date in a text as midnight UTC and its place, or the zero time. A date without a year is
// the one nearest to today.
func due(text string, today time.Time) (day time.Time, start, end int) {
	text = text[:min(len(text), maxDueText)]
	if !strings.ContainsAny(text, "dD📅📆🗓@") {
		return time.Time{}, 0, 0
	}
	for _, at := range dueRE().FindAllStringSubmatchIndex(text, -1) {
		m := make([]string, len(at)/2)
		for i := range m {
			m[i] = text[max(at[2*i], 0):max(at[2*i+1], 0)]
		}
		if best := dateOf(m[2:], today); !best.IsZero() {
			return best, at[2], at[3]
		}
	}
	return time.Time{}, 0, 0
}

// dateOf returns the date in the submatches of dueRE, or the zero time if it does not exist.
func dateOf(m []string, today time.Time) (best time.Time) {
	if m[0] != "" {
		best, _ = time.Parse(time.DateOnly, m[0])
		return best
	}
	month, _ := time.Parse("Jan", (m[2] + m[4])[:3])
	day, _ := strconv.Atoi(m[1] + m[5])
	year, _ := strconv.Atoi(m[3] + m[6])
	years := []int{year}
	if year == 0 {
		years = []int{today.Year() - 1, today.Year(), today.Year() + 1}
	}
	for _, y := range years {
		when := time.Date(y, month.Month(), day, 0, 0, 0, 0, time.UTC)
		if when.Day() == day && (best.IsZero() || when.Sub(today).Abs() < best.Sub(today).Abs()) {
			best = when
		}
	}
	return best
}
