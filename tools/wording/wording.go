// Package wording says names, sizes and times as the tools say them to a model and a person.
package wording

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"chatvault/internal/text"
)

// Sentence is an error that is a whole sentence, for the model and the user.
func Sentence(format string, a ...any) error { return fmt.Errorf(format, a...) }

// PlainName is a path for a line of its own. A name with a control character or line
// separator is quoted, so that it cannot pass for two lines.
func PlainName(path string) string {
	if strings.ContainsFunc(path, breaksLine) || !utf8.ValidString(path) {
		return strconv.Quote(path)
	}
	return path
}

// Quote puts a name into double quotes for a sentence.
func Quote(name string) string {
	if strings.ContainsFunc(name, breaksLine) || !utf8.ValidString(name) {
		return strconv.Quote(name)
	}
	return `"` + name + `"`
}

func breaksLine(r rune) bool {
	return unicode.IsControl(r) || r == '\u2028' || r == '\u2029'
}

// FolderName is a folder's path with the slash that tells it from a file.
func FolderName(path string) string {
	if path == "." || path == "" {
		return "."
	}
	return strings.TrimSuffix(path, "/") + "/"
}

// FirstLine is s up to its first line end.
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

// OneLine is s with each run of white space, line ends too, made one space.
func OneLine(s string) string { return text.OneLine(s) }

// CutAt is the longest prefix of s of at most limit bytes that splits no character.
func CutAt(s string, limit int) string { return text.Head(s, limit) }

// Counted is a number with its noun: "1 note", "2,456 notes".
func Counted(n int, noun string) string { return text.Count(n, noun) }

// SizeText is a number of bytes for people: "156 bytes", "2.4 KB" (1,024 bytes to the KB).
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

// ExactSize is sizeText with the exact number beside it: "2.4 KB (2,456 bytes)".
func ExactSize(n int64) string {
	if n < 1024 {
		return SizeText(n)
	}
	return fmt.Sprintf("%s (%s bytes)", SizeText(n), text.Thousands(n))
}

// MomentText is a time to the minute, in local time: "Jan 15, 2026 10:30 AM".
func MomentText(t time.Time) string { return local(t, "Jan 2, 2006 3:04 PM", "unknown") }

// DayText is a day in local time: "Feb 3, 2026".
func DayText(t time.Time) string { return local(t, "Jan 2, 2006", "unknown") }

// TimeText is a time for a program, in local time; "" where it is not known.
func TimeText(t time.Time) string { return local(t, time.RFC3339, "") }

func local(t time.Time, layout, unknown string) string {
	if t.IsZero() {
		return unknown
	}
	return t.Local().Format(layout)
}
