package pathname

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"chatvault/internal/base/lazyregexp"
	"chatvault/internal/base/text"
)

// Fold returns the folded form of a name: two names that differ only in case, Unicode normal form, the width of
// characters ("ＡＢＣ", "ｶﾞ") or the kind of blanks have the same one. It uses simple case folding, one character at a
// time, so "straße" does not match "STRASSE". A folded path equals its folded components joined by "/".
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
		switch usual := text.UsualWidth(r); {
		case unicode.Is(unicode.Zs, r):
			r = ' '
		case usual != '/' && usual != '\\': // people write ／ where a name cannot contain a slash
			r = usual
		}
		folded = append(folded, text.FoldRune(r))
	}
	return norm.NFC.String(string(folded)) // folding may leave a pair that composes
}

var endBlanks = lazyregexp.New(`([^/. ])[. ]+(\.[0-9a-z]+)?(/|$)`)

// Key returns the form of a path for finding what a person or a link means: folded, without dots and blanks that end
// a component or precede its extension, which other systems drop.
func Key(path string) string {
	key := Fold(path)
	for i := range len(key) {
		if key[i] == ' ' || key[i] == '.' {
			if next := key[i+1:]; next == "" || next[0] == '.' || next[0] == '/' {
				return endBlanks().ReplaceAllString(key, "$1$2$3")
			}
		}
	}
	return key
}
