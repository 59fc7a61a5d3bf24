// Package text has functions for short texts: shortening, numbers with nouns, the distance of words, JSON, command
// lines. None of them splits a character. Package internal/base/terminal makes text safe for the terminal.
package text

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"
)

// OneLine replaces every run of white space with one space and trims s.
func OneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// FirstLine returns the first line of s after leading white space, trimmed.
func FirstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return strings.TrimSpace(line)
}

// Capital returns s with its first character in upper case.
func Capital(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	if n == 0 {
		return ""
	}
	return string(unicode.ToUpper(r)) + s[n:]
}

// Clip returns at most n characters of s. If s is cut, the last one is an ellipsis.
func Clip(s string, n int) string {
	if len(s) <= n || utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:max(n-1, 0)]) + "…"
}

// Excerpt returns at most n characters of s on one line.
func Excerpt(s string, n int) string { return Clip(OneLine(s), n) }

// Head returns the longest prefix of s of at most n bytes that does not split a character.
func Head(s string, n int) string {
	if n >= len(s) {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:max(n, 0)]
}

// Join joins the parts that are not empty.
func Join(sep string, parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), sep)
}

// Some returns the first three names and the number of the others.
func Some(names []string) string { return First(names, 3) }

// First returns the first most names and the number of the others.
func First(names []string, most int) string {
	if more := len(names) - most; more > 0 {
		return strings.Join(names[:most], ", ") + " and " + strconv.Itoa(more) + " more"
	}
	return strings.Join(names, ", ")
}

// Of returns say of each item.
func Of[T any](list []T, say func(T) string) []string {
	texts := make([]string, len(list))
	for i, item := range list {
		texts[i] = say(item)
	}
	return texts
}

// Sentence returns text with exactly one terminating punctuation mark.
func Sentence(text string) string {
	text = strings.TrimRight(text, " \n")
	if text == "" || strings.ContainsAny(text[len(text)-1:], "!?") || strings.HasSuffix(text, "…") || strings.HasSuffix(text, "...") {
		return text
	}
	return strings.TrimRight(text, ".") + "."
}

// CommonPrefix returns the length of the common prefix in bytes.
func CommonPrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// FoldRune returns the smallest rune in the case orbit of r, or the lower-case letter for ASCII letters.
func FoldRune(r rune) rune {
	smallest := r
	for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
		smallest = min(smallest, other)
	}
	if 'A' <= smallest && smallest <= 'Z' {
		smallest += 'a' - 'A'
	}
	return smallest
}

// UsualWidth returns the usual form of a full-width or half-width character, and any other unchanged.
func UsualWidth(r rune) rune {
	if r >= 0xff00 {
		if usual := width.LookupRune(r).Folded(); usual != 0 {
			return usual
		}
	}
	return r
}

// Cause returns the cause of an error that contains a path, for a message that already has the path.
func Cause(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

// Encoder returns an encoder for one JSON value per line that does not escape HTML characters.
func Encoder(w io.Writer) *json.Encoder {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e
}

// WriteJSON writes v as indented JSON.
func WriteJSON(w io.Writer, v any) error {
	e := Encoder(w)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// JSON returns v as a line of JSON without a line ending.
func JSON(v any) ([]byte, error) {
	var b bytes.Buffer
	err := Encoder(&b).Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte{'\n'}), err
}

// Thousands formats a number with commas: "1,234,567".
func Thousands[N int | int64](n N) string {
	digits, sign := strconv.FormatInt(int64(n), 10), ""
	if n < 0 {
		sign, digits = "-", digits[1:]
	}
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return sign + digits
}

// Count returns a number with its noun: "1 note", "2,000 notes", "0 matches".
func Count(n int, noun string) string { return Thousands(n) + " " + Plural(n, noun) }

// Plural returns the form of a noun for a number: "note", "notes", "matches", "properties".
func Plural(n int, noun string) string {
	stem, y := strings.CutSuffix(noun, "y")
	switch {
	case n == 1:
		return noun
	case y && !strings.HasSuffix(stem, "a") && !strings.HasSuffix(stem, "e") && !strings.HasSuffix(stem, "o"):
		return stem + "ies"
	case strings.HasSuffix(noun, "ch"), strings.HasSuffix(noun, "sh"), strings.HasSuffix(noun, "s"), strings.HasSuffix(noun, "x"):
		return noun + "es"
	}
	return noun + "s"
}
