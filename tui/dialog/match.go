package dialog

import (
	"slices"
	"strings"
)

// matching are the rows that a query means, the best first and in their own order among equals:
// those whose label holds every word of it, then those that hold them elsewhere, then those in
// whose label its letters occur one after the other.
func matching(rows []Row, query string) []Row {
	words := strings.Fields(strings.ToLower(query))
	if len(words) == 0 {
		return rows
	}
	var found [3][]Row
	for _, r := range rows {
		label := strings.ToLower(r.Label)
		switch {
		case holds(label, words):
			found[0] = append(found[0], r)
		case holds(label+"\n"+strings.ToLower(r.Find), words):
			found[1] = append(found[1], r)
		case inOrder(label, strings.Join(words, "")):
			found[2] = append(found[2], r)
		}
	}
	return slices.Concat(found[:]...)
}

func holds(text string, words []string) bool {
	return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) })
}

// inOrder says whether the letters occur in text one after the other.
func inOrder(text, letters string) bool {
	for _, r := range letters {
		i := strings.IndexRune(text, r)
		if i < 0 {
			return false
		}
		text = text[i+len(string(r)):]
	}
	return true
}
