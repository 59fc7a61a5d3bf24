// Package wording says names, sizes and times as the tools say them to a model and a person.
package wording

import (
	"fmt"
	"strconv"
	"strings"
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
