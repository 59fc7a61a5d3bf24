package tools

import (
	"strings"

	"chatvault/internal/text"
)

// nearest is the candidate that name was most likely meant to be, or "" when none is
// near: equal but for case and separators, containing one another, or within an edit
// distance of a third of the length.
func nearest(name string, candidates []string) string {
	plain := fold(name)
	if plain == "" || len(plain) > 64 {
		return ""
	}
	best, bestDistance := "", 1+len(plain)/3
	for _, c := range candidates {
		f := fold(c)
		if f == plain {
			return c
		}
		if d := text.Distance(plain, f, bestDistance-1); d < bestDistance {
			best, bestDistance = c, d
		}
	}
	if best != "" {
		return best
	}
	for _, c := range candidates {
		f := fold(c)
		if len(plain) >= 3 && (strings.Contains(f, plain) || strings.Contains(plain, f)) {
			return c
		}
	}
	return ""
}

func fold(s string) string {
	return strings.NewReplacer("_", "", "-", "", " ", "", ".", "").Replace(strings.ToLower(s))
}
