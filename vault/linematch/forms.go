package linematch

import (
	"encoding/binary"
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
	return hasRune(text, func(r rune) bool { return r == 0x212a || r == 0x17f || unusual(r) })
}

// isUnusual reports whether text may contain a letter or digit of another width or composed of several runes.
func isUnusual(text []byte) bool { return hasRune(text, unusual) }

// unusual reports whether a rune has another width or may be composed with the one before it: an accent, a Japanese
// voice mark, a part of a Korean syllable.
func unusual(r rune) bool {
	return r >= 0x300 && r < 0x380 || r == 0x3099 || r == 0x309a || r >= 0x1100 && r < 0x1200 || usualForm(r) != r
}

// hasRune reports whether text has a rune outside of ASCII that is accepted.
func hasRune(text []byte, accepted func(rune) bool) bool {
	const ascii, block = 0x8080808080808080, 32 // bytes
	for len(text) > 0 {
		if len(text) >= block {
			word := binary.LittleEndian.Uint64
			if (word(text)|word(text[8:])|word(text[16:])|word(text[24:]))&ascii == 0 {
				text = text[block:]
				continue
			}
		}
		if text[0] < utf8.RuneSelf {
			text = text[1:]
			continue
		}
		r, size := utf8.DecodeRune(text)
		if accepted(r) {
			return true
		}
		text = text[size:]
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
