package note

import (
	"unicode"
	"unicode/utf8"
)

// inTag reports whether a character can be part of a tag: letters, digits, symbols and emoji of
// any script, "-", "_" and "/"; no blanks, no controls, none of ASCII's other punctuation, none of
// Unicode's general and supplemental punctuation.
func inTag(r rune) bool {
	switch {
	case r < utf8.RuneSelf:
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '-' || r == '_' || r == '/'
	case r >= 0x2000 && r <= 0x206f, r >= 0x2e00 && r <= 0x2e7f, r == 0xfeff, r == utf8.RuneError:
		return false
	}
	return !unicode.IsSpace(r) && !unicode.IsControl(r)
}

// tagAt is how many bytes of a tag s begins with, its "#" taken off; 0: none. One of digits alone
// is none, and a "/" at the end belongs to none.
func tagAt(s []byte) int {
	n := 0
	for n < len(s) {
		r, size := rune(s[n]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRune(s[n:])
		}
		if !inTag(r) {
			break
		}
		n += size
	}
	for n > 0 && s[n-1] == '/' {
		n--
	}
	for _, c := range s[:n] {
		if c < '0' || c > '9' {
			return n
		}
	}
	return 0
}

// IsTag reports whether s, without "#", can be a tag.
func IsTag(s string) bool { return s != "" && tagAt([]byte(s)) == len(s) }
