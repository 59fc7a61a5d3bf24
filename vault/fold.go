package vault

import (
	"unicode/utf8"

	"chatvault/vault/fold"
)

// foldName is the form in which two names that differ in case or Unicode normal form
// only are equal.
func foldName(name string) string { return fold.Name(name) }

// foldRune is the character in which all those are equal that differ in case only.
func foldRune(r rune) rune { return fold.Rune(r) }

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
