// Package fold says when two names are one: those that differ in case or Unicode normal form
// only. Every look-up of a name in the vault, by a tool or by a link, goes by it.
package fold

import (
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"chatvault/internal/text"
)

// Name is the form in which two names that differ in case or Unicode normal form only are equal.
// The case folding is the simple one, character by character: "straße" is not "STRASSE". A path
// folds to the folded names of its folders and its own, joined.
func Name(name string) string {
	for i := range len(name) {
		switch c := name[i]; {
		case c >= utf8.RuneSelf:
			return unicodeName(name)
		case 'A' <= c && c <= 'Z':
			return lowered(name, i)
		}
	}
	return name
}

// Same reports whether a name is equal to another but for case and normal form; folded is Name of
// the other one.
func Same(folded, name string) bool {
	if len(name) == len(folded) || !IsASCII(name) || !IsASCII(folded) {
		return Name(name) == folded
	}
	return false
}

// IsASCII reports whether a name has ASCII characters only.
func IsASCII[T string | []byte](s T) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// lowered is a name in lower case, whose first i bytes are ASCII and no capitals.
func lowered(name string, i int) string {
	lower := []byte(name)
	for ; i < len(lower); i++ {
		c := lower[i]
		if c >= utf8.RuneSelf {
			return unicodeName(name)
		}
		if 'A' <= c && c <= 'Z' {
			lower[i] = c + 'a' - 'A'
		}
	}
	return string(lower)
}

func unicodeName(name string) string {
	folded := make([]rune, 0, len(name))
	for _, r := range norm.NFC.String(name) {
		folded = append(folded, Rune(r))
	}
	return norm.NFC.String(string(folded)) // folding may leave a pair that composes
}

// Rune is the smallest of the characters that are r in another case, but the lower one for ASCII
// letters.
func Rune(r rune) rune { return text.FoldRune(r) }
