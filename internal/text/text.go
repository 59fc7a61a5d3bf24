// Package text holds what every part of the program does to short texts: one line of them, so many
// characters, a number with its noun, how far two words are apart, the words of a command line. It
// promises to cut no character in two. It knows no screen; what is safe to show there is for
// internal/terminal to say.
package text

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"iter"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// OneLine makes every run of white space, line ends too, one space, and takes it off the ends.
func OneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// FirstLine is s up to its first line end, without white space around it.
func FirstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return strings.TrimSpace(line)
}

// Capital is s with a capital letter at its beginning.
func Capital(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	if n == 0 {
		return ""
	}
	return string(unicode.ToUpper(r)) + s[n:]
}

// Clip is at most n characters of s; the last is an ellipsis where something was left out.
func Clip(s string, n int) string {
	if len(s) <= n || utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:max(n-1, 0)]) + "…"
}

// Excerpt is s on one line, at most n characters of it.
func Excerpt(s string, n int) string { return Clip(OneLine(s), n) }

// Head is the longest beginning of s of at most n bytes.
func Head(s string, n int) string {
	if n >= len(s) {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:max(n, 0)]
}

// Some are the first three names, and how many more there are.
func Some(names []string) string { return First(names, 3) }

// First are so many of some names, and how many more there are.
func First(names []string, most int) string {
	if more := len(names) - most; more > 0 {
		return strings.Join(names[:most], ", ") + " and " + strconv.Itoa(more) + " more"
	}
	return strings.Join(names, ", ")
}

// Of are the texts of a list, one of each of its items.
func Of[T any](list []T, say func(T) string) []string {
	texts := make([]string, len(list))
	for i, item := range list {
		texts[i] = say(item)
	}
	return texts
}

// Objects are the JSON objects in a text that a T can be made of, wherever they begin: what stands around them
// may be anything. Only its first braces are tried.
func Objects[T any](s string) iter.Seq[T] {
	return func(yield func(T) bool) {
		for range 20 {
			i := strings.IndexByte(s, '{')
			if i < 0 {
				return
			}
			var object T
			if json.NewDecoder(strings.NewReader(s[i:])).Decode(&object) == nil && !yield(object) {
				return
			}
			s = s[i+1:]
		}
	}
}

// CommonPrefix is how many bytes two texts begin with alike.
func CommonPrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// FoldRune is the smallest of the characters that are r in another case, but the lower one of ASCII
// letters.
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

// Cause is an error without the path, for a message that names it already.
func Cause(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

// Encoder writes JSON for people and programs, a value a line: nothing is escaped that need not be.
func Encoder(w io.Writer) *json.Encoder {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e
}

// WriteJSON writes a value as indented JSON.
func WriteJSON(w io.Writer, v any) error {
	e := Encoder(w)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// JSON is a value as a line of it, without the line's end.
func JSON(v any) ([]byte, error) {
	var b bytes.Buffer
	err := Encoder(&b).Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte{'\n'}), err
}

// Thousands writes a number with commas between its thousands: "1,234,567".
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

// Count is a number with its noun: "1 note", "2,000 notes", "0 matches".
func Count(n int, noun string) string { return Thousands(n) + " " + Plural(n, noun) }

// Plural is a noun as it stands after a number: "note", "notes", "matches", "properties".
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

// AtLeast compares a version, "1.2.3" and whatever follows, number by number.
func AtLeast(version string, least ...int) bool {
	parts := strings.Split(version, ".")
	for i, want := range least {
		if i >= len(parts) {
			return want == 0
		}
		digits := parts[i]
		if end := strings.IndexFunc(digits, func(r rune) bool { return r < '0' || r > '9' }); end >= 0 {
			digits = digits[:end] // 3.4a
		}
		n, err := strconv.Atoi(digits)
		if err != nil || n != want {
			return err == nil && n > want
		}
	}
	return true
}
