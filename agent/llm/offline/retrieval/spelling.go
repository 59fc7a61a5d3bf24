package retrieval

import (
	"cmp"
	"slices"

	"chatvault/internal/text"
)

// TypoLimit is how many typing errors a word of n characters is forgiven.
func TypoLimit(n int) int {
	switch {
	case n < 4:
		return 0
	case n < 8:
		return 1
	default:
		return 2
	}
}

// maxSimilar bounds the corrected spellings of a word.
const maxSimilar = 4

// similar finds terms of the index and words of the thesaurus that stem may be a misspelling of.
func (r *reader) similar(stem string) []alternative {
	limit := TypoLimit(len(stem))
	if limit == 0 {
		return nil
	}
	best := map[string]float64{}
	try := func(term string) {
		if max(len(term)-len(stem), len(stem)-len(term)) > limit || len(term) < 3 {
			return
		}
		d := text.Distance(stem, term, limit)
		if d == 0 || d > limit {
			return
		}
		w := 0.85 - 0.2*float64(d-1)
		if term[0] != stem[0] {
			w -= 0.2
		}
		best[term] = max(best[term], w)
	}
	for _, term := range r.terms.all() {
		try(term)
	}
	for _, entry := range r.thesaurus.names {
		try(entry)
	}
	return alternatives(best)
}

// alternatives are the words with the most weight, those of the same in the order of their spelling, so
// that results are the same every time.
func alternatives(words map[string]float64) []alternative {
	var out []alternative
	for term, w := range words {
		out = append(out, alternative{stems: []string{term}, weight: w})
	}
	slices.SortFunc(out, func(a, b alternative) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(a.stems[0], b.stems[0]))
	})
	return out[:min(len(out), maxSimilar)]
}
