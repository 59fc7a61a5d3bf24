// Package wording formats names, sizes and times in the texts of tools.
package wording

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"chatvault/internal/base/text"
)

// Sentence returns an error that is a whole sentence, for the model and the user.
func Sentence(format string, a ...any) error { return fmt.Errorf(format, a...) }

// PlainName returns a path for a line. A name with a control character or line separator is quoted, so that it cannot
// imitate two lines.
func PlainName(path string) string {
	if strings.ContainsFunc(path, breaksLine) || !utf8.ValidString(path) {
		return strconv.Quote(path)
	}
	return path
}

// Quote quotes a name in a sentence.
func Quote(name string) string {
	if strings.ContainsFunc(name, breaksLine) || !utf8.ValidString(name) {
		return strconv.Quote(name)
	}
	return `"` + name + `"`
}

func breaksLine(r rune) bool {
	return unicode.IsControl(r) || r == '\u2028' || r == '\u2029'
}

// FolderName returns a folder's path with a trailing slash.
func FolderName(path string) string {
	if path == "." || path == "" {
		return "."
	}
	return strings.TrimSuffix(path, "/") + "/"
}

// FirstLine returns s up to its first line break.
func FirstLine(s string) string {
	s = strings.TrimSpace(s)
	if i := strings.IndexAny(s, "\r\n"); i >= 0 {
		return strings.TrimSpace(s[:i]) + " …"
	}
	return s
}

// Shorten cuts s to at most limit bytes at a character boundary, with an ellipsis.
func Shorten(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	return text.Head(s, limit) + "…"
}

// OneLine replaces each run of white space in s, including line breaks, by one space.
func OneLine(s string) string { return text.OneLine(s) }

// CutAt returns the longest prefix of s of at most limit bytes that splits no character.
func CutAt(s string, limit int) string { return text.Head(s, limit) }

// Counted returns a number with its noun: "1 note", "2,456 notes".
func Counted(n int, noun string) string { return text.Count(n, noun) }

// SizeText formats a number of bytes: "156 bytes", "2.4 KB" (1 KB is 1,024 bytes).
func SizeText(n int64) string {
	if n < 1024 {
		return text.Count(int(n), "byte")
	}
	size := float64(n)
	for _, unit := range []string{"KB", "MB", "GB"} {
		size /= 1024
		// 1023.96 KB would round to 1024.0 KB.
		if size < 1023.95 || unit == "GB" {
			return fmt.Sprintf("%.1f %s", size, unit)
		}
	}
	return ""
}

// ExactSize is SizeText with the exact number: "2.4 KB (2,456 bytes)".
func ExactSize(n int64) string {
	if n < 1024 {
		return SizeText(n)
	}
	return fmt.Sprintf("%s (%s bytes)", SizeText(n), text.Thousands(n))
}

// MomentText formats a local time to the minute: "Jan 15, 2026 10:30 AM".
func MomentText(t time.Time) string { return local(t, "Jan 2, 2006 3:04 PM") }

// DayText formats a local date: "Feb 3, 2026".
func DayText(t time.Time) string { return local(t, "Jan 2, 2006") }

func local(t time.Time, layout string) string {
	if t.IsZero() {
		return "unknown"
	}
	return t.Local().Format(layout)
}
