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

// maxScanned bounds the vocabulary that is scanned for words of the same root, which is a
// refinement; typing errors are looked for in any vocabulary.
const maxScanned = 60000

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
	for _, seg := range r.segments {
		for term := range seg.terms {
			try(term)
		}
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

// derivations finds terms of the same root: "architectur" and "architect", "corros" and "corrod".
func (r *reader) derivations(stem string) []alternative {
	n := 0
	for _, s := range r.segments {
		n += len(s.terms)
	}
	if len(stem) < 5 || n > maxScanned {
		return nil
	}
	best := map[string]float64{}
	for _, seg := range r.segments {
		for term := range seg.terms {
			if w := rootWeight(stem, term); w > 0 {
				best[term] = w
			}
		}
	}
	return alternatives(best)
}

// rootWeight is how much a term counts for that has the root of a stem; 0 where it has not.
func rootWeight(stem, term string) float64 {
	if len(stem) < 5 || len(term) < 5 || term[0] != stem[0] || term == stem || isDigit(term[len(term)-1]) {
		return 0
	}
	n := text.CommonPrefix(term, stem)
	rest := max(len(term), len(stem)) - n
	if n < max(5, len(stem)-3) || rest > 3 {
		return 0
	}
	return 0.66 - 0.08*float64(rest)
}
