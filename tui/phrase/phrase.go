// Package phrase says small things as a person reads them: one line of a text, a number of things, a
// time, a size, the way of saying something that fits. Its functions are pure.
package phrase

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"chatvault/internal/text"
)

// Head is the beginning of text, at most n bytes.
func Head(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return strings.ToValidUTF8(text[:n], "")
}

// MaxLine is how much of a text is looked at for one line of a list, in bytes.
const MaxLine = 500

// Line is the beginning of a text on one line.
func Line(s string) string { return text.OneLine(Head(s, MaxLine)) }

// Lines makes a line of each text.
func Lines(texts []string) []string {
	lines := make([]string, len(texts))
	for i, text := range texts {
		lines[i] = Line(text)
	}
	return lines
}

// Fitting is the first of some ways to say a thing that fits, the last where none does.
func Fitting(ways []string, width int) string {
	for _, w := range ways {
		if ansi.StringWidth(w) <= width {
			return w
		}
	}
	return ways[len(ways)-1]
}

// Hints joins as many hints as fit, and drops the first ones first.
func Hints(hints []string, width int) string {
	for len(hints) > 1 && ansi.StringWidth(Join(hints...)) > width {
		hints = hints[1:]
	}
	return ansi.Truncate(Join(hints...), width, "…")
}

// Spread puts left and right at the two ends of a line; right goes where there
// is no room for both.
func Spread(left, right string, width int) string {
	l, r := ansi.StringWidth(left), ansi.StringWidth(right)
	if l > width {
		return ansi.Truncate(left, width, "…")
	}
	if r == 0 || l+2+r > width {
		return left
	}
	return left + strings.Repeat(" ", width-l-r) + right
}

// First is the first line of a text, in at most 60 cells.
func First(text string) string {
	line, _, more := strings.Cut(strings.TrimSpace(text), "\n")
	if more || ansi.StringWidth(line) > 60 {
		line = ansi.Truncate(line, 60, "") + "…"
	}
	return line
}

// Join puts dots between words; those that are empty are left out.
func Join(words ...string) string {
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), " · ")
}

// Both puts two sentences together, of which the first may be missing.
func Both(a, b string) string {
	if a == "" {
		return b
	}
	return a + " " + b
}

// Ended ends text with one mark of punctuation.
func Ended(text string) string {
	text = strings.TrimRight(text, " \n")
	for strings.HasSuffix(text, "..") && !strings.HasSuffix(text, "...") {
		text = text[:len(text)-1]
	}
	if text == "" || strings.ContainsAny(text[len(text)-1:], ".!?") || strings.HasSuffix(text, "…") {
		return text
	}
	return text + "."
}

// Fit cuts a drawn line to at most width cells. ansi.Truncate alone leaves a keycap such as 1️⃣ half
// a cell's width too much: it counts its digit and not the rest.
func Fit(line string, width int) string {
	if len(line) <= width || ansi.StringWidth(line) <= width { // cells never outnumber bytes
		return line
	}
	for n := max(width, 0); ; n-- {
		if cut := ansi.Truncate(line, n, ""); n == 0 || ansi.StringWidth(cut) <= width {
			return cut
		}
	}
}

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

// Bytes is a size as one says it: "812 B", "2.4 KB", "3.1 MB".
func Bytes(n int64) string {
	const unit = 1024
	switch {
	case n < unit:
		return fmt.Sprintf("%d B", n)
	case n < unit*unit:
		return fmt.Sprintf("%.1f KB", float64(n)/unit)
	case n < unit*unit*unit:
		return fmt.Sprintf("%.1f MB", float64(n)/(unit*unit))
	}
	return fmt.Sprintf("%.1f GB", float64(n)/(unit*unit*unit))
}
