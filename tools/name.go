package tools

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"chatvault/internal/text"
)

// plainName is a path for a line of its own. A name with a control character or line
// separator is quoted, so that it cannot pass for two lines.
func plainName(path string) string {
	if strings.ContainsFunc(path, breaksLine) || !utf8.ValidString(path) {
		return strconv.Quote(path)
	}
	return path
}

// quote puts a name into double quotes for a sentence.
func quote(name string) string {
	if strings.ContainsFunc(name, breaksLine) || !utf8.ValidString(name) {
		return strconv.Quote(name)
	}
	return `"` + name + `"`
}

func breaksLine(r rune) bool {
	return unicode.IsControl(r) || r == '\u2028' || r == '\u2029'
}

// folderName is a folder's path with the slash that tells it from a file.
func folderName(path string) string {
	if path == "." || path == "" {
		return "."
	}
	return strings.TrimSuffix(path, "/") + "/"
}

// oneLine is s with each run of white space, line ends too, made one space.
func oneLine(s string) string { return text.OneLine(s) }

// firstLine is s up to its first line end.
func firstLine(s string) string {
	s = strings.TrimSpace(s)
	if i := strings.IndexAny(s, "\r\n"); i >= 0 {
		return strings.TrimSpace(s[:i]) + " …"
	}
	return s
}

// shorten cuts s to at most limit bytes at a character boundary, with an ellipsis.
func shorten(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	return cutAt(s, limit) + "…"
}

// cutAt is the longest prefix of s of at most limit bytes that splits no character.
func cutAt(s string, limit int) string { return text.Head(s, limit) }
