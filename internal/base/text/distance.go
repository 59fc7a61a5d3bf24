package text

import (
	"slices"
	"strings"
)

// Distance returns the optimal string alignment distance of a and b in characters (insertions, deletions,
// replacements and swaps of neighbours cost 1), or limit+1 if it exceeds limit.
func Distance(a, b string, limit int) int {
	x, y := []rune(a), []rune(b)
	if max(len(x)-len(y), len(y)-len(x)) > limit {
		return limit + 1
	}
	rows := make([]int, 3*(len(y)+1))
	before, last, row := rows[:len(y)+1], rows[len(y)+1:2*(len(y)+1)], rows[2*(len(y)+1):]
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(x); i++ {
		row[0] = i
		low := i
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
			low = min(low, row[j])
		}
		if low > limit {
			return limit + 1
		}
		before, last, row = last, row, before
	}
	return min(last[len(y)], limit+1)
}

// Near returns the known name that a mistyped one most likely means, ignoring case and separators: the first that
// begins with it, else the one with the fewest mistakes, at most three and a third of its letters, else one that
// contains it. It returns "" if there is none.
func Near(name string, known []string) string {
	plain := Unseparated(name)
	if plain == "" || len(plain) > 64 {
		return ""
	}
	best, least := "", 4
	for _, k := range known {
		u := Unseparated(k)
		if len(plain) > 1 && strings.HasPrefix(u, plain) {
			return k
		}
		if d := Distance(plain, u, min(least-1, (len(u)+1)/3)); d < least && d <= (len(u)+1)/3 {
			best, least = k, d
		}
	}
	if i := slices.IndexFunc(known, func(k string) bool { return strings.Contains(Unseparated(k), plain) }); best == "" && len(plain) > 2 && i >= 0 {
		return known[i]
	}
	return best
}

var separators = strings.NewReplacer("_", "", "-", "", " ", "", ".", "")

// Unseparated returns s in lower case without spaces, dots, hyphens and underscores.
func Unseparated(s string) string { return separators.Replace(strings.ToLower(s)) }
