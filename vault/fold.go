package vault

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// foldName is the form in which two names that differ in case or Unicode normal form
// only are equal. The case folding is the simple one, character by character: "straße"
// is not "STRASSE".
func foldName(name string) string {
	lower := make([]byte, len(name))
	for i := range len(name) {
		c := name[i]
		if c >= utf8.RuneSelf {
			return foldUnicode(name)
		}
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		lower[i] = c
	}
	return string(lower)
}

func foldUnicode(name string) string {
	folded := make([]rune, 0, len(name))
	for _, r := range norm.NFC.String(name) {
		folded = append(folded, foldRune(r))
	}
	return norm.NFC.String(string(folded)) // folding may leave a pair that composes
}

// foldRune is the smallest of the characters that are r in another case, but the lower
// one for ASCII letters.
func foldRune(r rune) rune {
	smallest := r
	for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
		smallest = min(smallest, other)
	}
	if 'A' <= smallest && smallest <= 'Z' {
		smallest += 'a' - 'A'
	}
	return smallest
}

// sameName reports whether two names are equal but for case and normal form; folded is
// foldName of one of them.
func sameName(folded, name string) bool {
	if len(name) == len(folded) || !isASCII(name) || !isASCII(folded) {
		return foldName(name) == folded
	}
	return false
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
