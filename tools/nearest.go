package tools

import "strings"

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
		if d := editDistance(plain, f); d < bestDistance {
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

// editDistance is the optimal string alignment distance in bytes: insertions,
// deletions, substitutions and swaps of neighbours.
func editDistance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
