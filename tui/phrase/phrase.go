// Package phrase formats short texts for display: one line of a text, counts, times, sizes, the variant that fits.
// Its functions are pure.
package phrase

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"chatvault/internal/base/cells"
	"chatvault/internal/base/text"
)

// MaxLine bounds how much of a text is considered for one line of a list, in bytes.
const MaxLine = 500

// Line returns the beginning of a text as a single line.
func Line(s string) string { return text.OneLine(text.Head(s, MaxLine)) }

// Fitting returns the first of the variants that fits the width, or the last.
func Fitting(ways []string, width int) string {
	for _, w := range ways {
		if cells.Width(w) <= width {
			return w
		}
	}
	return ways[len(ways)-1]
}

// Hints joins hints, dropping the first ones until the rest fits.
func Hints(hints []string, width int) string {
	for len(hints) > 1 && cells.Width(Join(hints...)) > width {
		hints = hints[1:]
	}
	return cells.Truncate(Join(hints...), width, "…")
}

// Spread places left and right at the two ends of a line. It drops right if there is no room for both.
func Spread(left, right string, width int) string {
	l, r := cells.Width(left), cells.Width(right)
	if l > width {
		return cells.Truncate(left, width, "…")
	}
	if r == 0 || l+2+r > width {
		return left
	}
	return left + strings.Repeat(" ", width-l-r) + right
}

// First returns the first line of a text, in at most 60 cells.
func First(text string) string {
	line, _, more := strings.Cut(strings.TrimSpace(text), "\n")
	if more || cells.Width(line) > 60 {
		line = cells.Truncate(line, 60, "") + "…"
	}
	return line
}

// Join joins non-empty words by dots.
func Join(words ...string) string {
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), " · ")
}

// Time formats a time for display: "2:05 PM", "Nov 20, 2:05 PM", "Nov 20, 2025".
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

// Bytes formats a size: "812 B", "2.4 KB", "3.1 MB".
func Bytes(n int64) string {
	if n < 1024 {
		return fmt.Sprintf("%d B", n)
	}
	size, units := float64(n)/1024, []string{"KB", "MB", "GB"}
	for ; size >= 1024 && len(units) > 1; units = units[1:] {
		size /= 1024
	}
	return fmt.Sprintf("%.1f %s", size, units[0])
}
