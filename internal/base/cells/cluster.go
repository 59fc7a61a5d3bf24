package cells

import (
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// First returns the length of the first grapheme cluster, in bytes.
func First(s string) int {
	if s == "" {
		return 0
	}
	if s[0] < utf8.RuneSelf && (len(s) == 1 || s[1] < utf8.RuneSelf) {
		return 1
	}
	cluster, _, _, _ := uniseg.FirstGraphemeClusterInString(s, -1)
	return len(cluster)
}

// Last returns the length of the last grapheme cluster, in bytes.
func Last(s string) int {
	if s == "" {
		return 0
	}
	if n := len(s); s[n-1] < utf8.RuneSelf && (n == 1 || s[n-2] < utf8.RuneSelf) {
		return 1
	}
	n := 0
	// Clusters are found from the left; a bounded context is enough.
	from := max(0, len(s)-256)
	for from > 0 && !utf8.RuneStart(s[from]) {
		from++
	}
	for rest := s[from:]; rest != ""; {
		n = First(rest)
		rest = rest[n:]
	}
	return n
}
