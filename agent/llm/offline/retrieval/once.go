package retrieval

import (
	"context"
	"fmt"
	"maps"
)

// Texts is a corpus that gives all its texts at once, which is the fastest way to ask one question
// where there is no index yet.
type Texts interface {
	Corpus
	// EachText calls visit for every note, several at a time, by worker 0 to workers-1. The text is
	// valid during the visit only.
	EachText(ctx context.Context, workers int, visit func(worker int, n Note, text []byte)) error
	Workers() int
}

// maxOnce bounds the bytes of one note that are looked through for one question.
const maxOnce = 256 << 10

// Once ranks the notes of a corpus for one question as Search does, without an index: each text is
// looked through for the words of the question and what may stand for them.
func Once(ctx context.Context, corpus Texts, q Query, limit int) ([]Hit, error) {
	t := thesaurusFor(q.Text)
	r, concepts, hint, err := scan(ctx, corpus, t, q.Text, anything{})
	if err != nil {
		return nil, err
	}
	// A word that stands nowhere may be misspelt. The words it may be meant for are looked up in the
	// texts themselves.
	if lost := unfound(r, concepts, t); len(lost) > 0 {
		spellings, err := spellings(ctx, corpus, lost)
		if err != nil {
			return nil, err
		}
		if r, concepts, hint, err = scan(ctx, corpus, t, q.Text, respelt{&reader{segments: []*segment{spellings}, thesaurus: t}, lost}); err != nil {
			return nil, err
		}
	}
	rarities := r.weigh(concepts)
	candidates := r.candidates(concepts, rarities, q)
	return best(ctx, corpus, candidates, func() *matcher { return newMatcher(concepts, rarities, hint, q) }, limit)
}

// anything is the vocabulary of texts that nothing is known of: each word may be there.
type anything struct{}

func (anything) frequency(string) int             { return 1 }
func (anything) similar(string) []alternative     { return nil }
func (anything) derivations(string) []alternative { return nil }

// respelt is a vocabulary of which only the words are known that a lost one may be.
type respelt struct {
	*reader
	lost map[string]bool
}

func (v respelt) frequency(stem string) int {
	if v.lost[stem] {
		return 0
	}
	return 1
}

func (respelt) derivations(string) []alternative { return nil }

// scan counts what a question asks for in every text.
func scan(ctx context.Context, corpus Texts, t *Thesaurus, question string, v vocabulary) (*reader, []concept, hint, error) {
	concepts, hint := analyse(question, t, v)
	stems := map[string]bool{}
	for _, c := range concepts {
		for _, a := range c.alternatives {
			for _, s := range a.stems {
				stems[s] = true
			}
		}
	}
	r := &reader{thesaurus: t}
	counters := make([]*counter, corpus.Workers())
	for i := range counters {
		counters[i] = newCounter(stems)
	}
	err := corpus.EachText(ctx, len(counters), func(worker int, n Note, text []byte) {
		counters[worker].add(n, text[:min(len(text), maxOnce)])
	})
	if err != nil {
		return nil, nil, 0, fmt.Errorf("read the notes: %w", err)
	}
	tokens := 0.0
	for _, b := range counters {
		r.segments = append(r.segments, b.seg)
		r.live += len(b.seg.docs)
		for i := range b.seg.docs {
			tokens += float64(b.seg.docs[i].length)
		}
	}
	r.average = max(1, tokens/max(1, float64(r.live)))
	return r, concepts, hint, ctx.Err()
}

// unfound are the words of a question that stand in no text and that the thesaurus does not know.
func unfound(r *reader, concepts []concept, t *Thesaurus) map[string]bool {
	lost := map[string]bool{}
	for _, c := range concepts {
		if s := c.alternatives[0].stems; len(s) == 1 && TypoLimit(len(s[0])) > 0 && r.frequency(s[0]) == 0 && !t.Has(s[0]) {
			lost[s[0]] = true
		}
	}
	return lost
}

// spellings are the words of the texts that begin with the letter of one that was not found.
func spellings(ctx context.Context, corpus Texts, lost map[string]bool) (*segment, error) {
	var first [256]bool
	for s := range lost {
		first[s[0]] = true
	}
	found := make([]map[string]bool, corpus.Workers())
	err := corpus.EachText(ctx, len(found), func(worker int, _ Note, text []byte) {
		if found[worker] == nil {
			found[worker] = map[string]bool{}
		}
		eachToken(text[:min(len(text), maxOnce)], func(tok []byte) {
			if first[tok[0]] && !found[worker][string(tok)] {
				found[worker][string(tok)] = true
			}
		})
	})
	seg := &segment{terms: map[string]uint32{}}
	for _, words := range found {
		for w := range maps.Keys(words) {
			seg.terms[Stem(w)] = 0
		}
	}
	return seg, err
}
