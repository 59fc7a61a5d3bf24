package retrieval

import (
	"cmp"
	"slices"

	"chatvault/internal/base/text"
)

// typoLimit is how many typing errors a word of n characters is forgiven.
func typoLimit(n int) int {
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

// similar finds terms of the index and words of the thesaurus that stem may be a misspelling of, those of
// the same weight in the order of their spelling.
func (r *reader) similar(stem string) (out []alternative) {
	limit := typoLimit(len(stem))
	if limit == 0 {
		return nil
	}
	for _, term := range slices.Concat(r.terms.all(), r.thesaurus.names) {
		if max(len(term)-len(stem), len(stem)-len(term)) > limit || len(term) < 3 {
			continue
		}
		if d := text.Distance(stem, term, limit); d > 0 && d <= limit {
			w := 0.85 - 0.2*float64(d-1)
			if term[0] != stem[0] {
				w -= 0.2
			}
			out = append(out, alternative{stem: term, weight: w})
		}
	}
	slices.SortFunc(out, func(a, b alternative) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(a.stem, b.stem))
	})
	out = slices.CompactFunc(out, func(a, b alternative) bool { return a.stem == b.stem })
	return out[:min(len(out), maxSimilar)]
}
