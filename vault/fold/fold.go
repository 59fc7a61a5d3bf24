// Package fold compares names without regard to case or Unicode normal form. All name look-ups in the vault, by tools
// and by links, use it.
package fold

import (
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"chatvault/internal/text"
)

// Name returns the folded form of a name: two names that differ only in case or Unicode normal form have the same
// one. It uses simple case folding, one character at a time, so "straße" does not match "STRASSE". A folded path
// equals its folded components joined by "/".
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

// Same reports whether name folds to folded, which must be the result of Name.
func Same(folded, name string) bool {
	if len(name) == len(folded) || !IsASCII(name) || !IsASCII(folded) {
		return Name(name) == folded
	}
	return false
}

// IsASCII reports whether s contains only ASCII bytes.
func IsASCII[T string | []byte](s T) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// lowered returns name in lower case. Its first i bytes must be ASCII without capitals.
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

// Rune returns the case-folded form of r: the lower case of an ASCII letter, otherwise the smallest rune in its case
// orbit.
func Rune(r rune) rune { return text.FoldRune(r) }
