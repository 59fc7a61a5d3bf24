package pathname

import (
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"chatvault/internal/base/text"
)

// Fold returns the folded form of a name: two names that differ only in case or Unicode normal form have the same
// one. It uses simple case folding, one character at a time, so "straße" does not match "STRASSE". A folded path
// equals its folded components joined by "/".
func Fold(name string) string {
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

// FoldsTo reports whether name folds to folded, which must be the result of Fold.
func FoldsTo(folded, name string) bool {
	if len(name) == len(folded) || !IsASCII(name) || !IsASCII(folded) {
		return Fold(name) == folded
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
		folded = append(folded, text.FoldRune(r))
	}
	return norm.NFC.String(string(folded)) // folding may leave a pair that composes
}
