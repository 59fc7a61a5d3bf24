package linematch

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"chatvault/internal/base/text"
)

// specialRunes are the two non-ASCII runes that fold to an ASCII letter, the Kelvin sign and the long s.
const specialRunes = "\u212a\u017f"

// HasSpecial reports whether text contains a rune of specialRunes or may differ from its usual form.
func HasSpecial(text []byte) bool {
	return hasFolding(text) || isUnusual(text)
}

// hasFolding reports whether text contains a rune of specialRunes.
func hasFolding(text []byte) bool {
	return bytes.Contains(text, []byte(specialRunes[:3])) || bytes.Contains(text, []byte(specialRunes[3:]))
}

// hasWide reports whether text contains a letter or digit of another width.
func hasWide(text []byte) bool {
	return hasRune(text, 0xef, func(r rune) bool { return usualForm(r) != r })
}

// isUnusual reports whether text may contain a letter or digit of another width or composed of several runes.
func isUnusual(text []byte) bool {
	for _, mark := range []string{"\xcc", "\xcd", "\u3099", "\u309a"} { // the first bytes of accents; Japanese voice marks
		if bytes.Contains(text, []byte(mark)) {
			return true
		}
	}
	return hasRune(text, 0xe1, func(r rune) bool { return r >= 0x1100 && r < 0x1200 }) || // parts of Korean syllables
		hasWide(text)
}

// hasRune reports whether text has a rune that is accepted and has this first byte.
func hasRune(text []byte, first byte, accepted func(rune) bool) bool {
	for i := bytes.IndexByte(text, first); i >= 0; i = bytes.IndexByte(text, first) {
		if r, _ := utf8.DecodeRune(text[i:]); accepted(r) {
			return true
		}
		text = text[i+1:]
	}
	return false
}

// usualForm returns a letter or digit in its usual width.
func usualForm(r rune) rune {
	if r >= 0xff10 && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
		return text.UsualWidth(r)
	}
	return r
}

// usual returns a text with letters and digits in their usual width and composed form.
func usual(text string) string {
	if !isUnusual([]byte(text)) {
		return text
	}
	return norm.NFC.String(strings.Map(usualForm, text))
}
