package note

import (
	"strings"
	"time"
	"unicode/utf8"
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

// dueMarks stand before the day a task is due.
var dueMarks = []string{"📅", "📆", "🗓", "due::"}

// due is the day that stands after the first of dueMarks that one follows.
func due(text string) time.Time {
	best, day := len(text), time.Time{}
	for _, mark := range dueMarks {
		for at, rest := 0, text; ; {
			i := indexFold(rest, mark)
			if i < 0 || at+i >= best {
				break
			}
			at += i + len(mark)
			rest = text[at:]
			if mark == "due::" && at > len(mark) && isWord(text[at-len(mark)-1]) {
				continue // overdue:: is another field
			}
			if when, ok := dayAt(rest); ok {
				best, day = at-len(mark), when
				break
			}
		}
	}
	return day
}

func isWord(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '-' || c >= utf8.RuneSelf
}

// indexFold is strings.Index ignoring the case of ASCII letters where the mark begins with one.
func indexFold(s, mark string) int {
	if mark[0] >= utf8.RuneSelf {
		return strings.Index(s, mark)
	}
	for at := 0; ; {
		i := strings.Index(s[at:], mark[3:])
		if i < 0 {
			return -1
		}
		if begin := at + i - 3; begin >= 0 && strings.EqualFold(s[begin:begin+3], mark[:3]) {
			return begin
		}
		at += i + 1
	}
}

// dayAt reads the day that s begins with, blanks, a variation selector and brackets of a link to
// a daily note aside: "2026-11-21". It is midnight UTC of that day.
func dayAt(s string) (time.Time, bool) {
	s = strings.TrimLeft(strings.TrimPrefix(s, "\ufe0f"), " \t[")
	if len(s) < len(time.DateOnly) || len(s) > len(time.DateOnly) && '0' <= s[10] && s[10] <= '9' {
		return time.Time{}, false
	}
	when, err := time.Parse(time.DateOnly, s[:len(time.DateOnly)])
	return when, err == nil
}
