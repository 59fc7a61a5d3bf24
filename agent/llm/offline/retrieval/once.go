package retrieval

import (
	"context"
	"fmt"
	"slices"
)

// Texts is a corpus that can read all its texts at once, the fastest way to answer one question without an index.
type Texts interface {
	Corpus
	// EachText calls visit for every note, several at a time, by worker 0 to Workers()-1, with its
	// first bytes, at most max. The text is valid during the visit only.
	EachText(ctx context.Context, max int, visit func(worker int, n Note, text []byte)) error
	Workers() int
}

// maxOnce bounds the bytes of one note that are looked through for one question.
const maxOnce = 256 << 10

// Once ranks the notes of a corpus for one question as Search does, without an index: each text is
// looked through for the words of the question and what may stand for them.
func Once(ctx context.Context, corpus Texts, q Query, limit int) ([]Hit, error) {
	t := thesaurusFor(q.Text)
	r, err := scan(ctx, corpus, t, wanted(q.Text, t))
	if err != nil {
		return nil, err
	}
	asked := r.ask(q)
	return best(ctx, corpus, r.candidates(asked), asked, limit)
}

// wanted returns the terms that a question may turn out to ask for once the texts are known.
func wanted(question string, t *Thesaurus) *wantedTerms {
	stems, lost := map[string]bool{}, map[string]bool{}
	for _, c := range (&reader{terms: &lexicon{}, thesaurus: t}).analyse(question) {
		for _, a := range c.alternatives {
			stems[a.stem] = true
		}
		if s := c.alternatives[0].stem; !c.pair && typoLimit(len(s)) > 0 && !t.Has(s) {
			lost[s] = true
		}
	}
	return newWantedTerms(stems, lost)
}

// scan counts the terms in every text.
func scan(ctx context.Context, corpus Texts, t *Thesaurus, wanted *wantedTerms) (*reader, error) {
	terms := &lexicon{}
	counters := make([]*counter, corpus.Workers())
	for i := range counters {
		counters[i] = newCounter(terms, wanted)
	}
	err := corpus.EachText(ctx, maxOnce, func(worker int, n Note, text []byte) {
		counters[worker].add(n, text)
	})
	if err != nil {
		return nil, fmt.Errorf("read the notes: %w", err)
	}
	var docs []*document
	notes, size := 0, int64(0)
	for _, c := range counters {
		docs, notes, size = append(docs, c.docs...), notes+c.notes, size+c.bytes
	}
	for _, d := range docs {
		terms.count(d, 1)
	}
	return newReader(slices.Values(docs), terms, t, notes, size), ctx.Err()
}
