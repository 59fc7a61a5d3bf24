package retrieval

import (
	"cmp"
	"context"
	"iter"
	"math"
	"runtime"
	"slices"
	"sync/atomic"

	"chatvault/internal/base/routine"
	"chatvault/vault/pathname"
)

// BM25F parameters: saturation of repeated words, and how much long notes are held back.
const (
	bm25K = 2.39
	bm25B = 0.83
)

// What further words of a concept add to the best one, and the most that is counted of them.
const (
	restShare = 0.28
	restMost  = 1.53
)

// maxCandidates is how many of the best notes by counts are read to find the best passage.
const maxCandidates = 24

// Hit is a note that fits a question.
type Hit struct {
	Path     string
	Line     int       // 1-based first line of the best passage
	Score    float64   // comparable within one result only
	Coverage float64   // 0 to 1: how much of what was asked the note speaks of
	Passages []Passage // at least one; if the note has no text, one without text
	Text     string    // the best passage as written in the note
}

// reader is a consistent view of the notes during one search.
type reader struct {
	docs      iter.Seq[*document]
	terms     *lexicon
	thesaurus *Thesaurus
	live      int
	average   float64 // bytes a document
}

// newReader returns a view of so many documents, of so many bytes.
func newReader(docs iter.Seq[*document], terms *lexicon, t *Thesaurus, documents int, bytes int64) *reader {
	return &reader{docs, terms, t, documents, max(1, float64(bytes)/max(1, float64(documents)))}
}

// frequency returns the number of documents with a stem. Of texts that nothing is known of, each may have
// the words of the thesaurus, and any other word may be misspelt.
func (r *reader) frequency(stem string) int {
	if r.docs == nil && r.thesaurus.Has(stem) {
		return 1
	}
	_, n := r.terms.find(stem)
	return n
}

// rarity is the inverse document frequency of a term that n documents have.
func (r *reader) rarity(n int) float64 {
	return math.Log(1 + (float64(r.live)-float64(n)+0.5)/(float64(n)+0.5))
}

// scored is a document with its score by counts.
type scored struct {
	*document
	score float64
	order float64 // its rank by counts
}

// uncovered is what is left of the score of a note that covers next to nothing of a question.
const uncovered = 0.36

// rank is the score by which notes are ordered: less is left of one that covers little.
func rank(score, coverage float64) float64 {
	return score * (uncovered + (1-uncovered)*coverage)
}

// Search ranks the notes for a question, best first, at most limit of them. It works on the
// index as the last Refresh left it.
func (x *Index) Search(ctx context.Context, q Query, limit int) ([]Hit, error) {
	x.mu.RLock()
	r := x.reader()
	asked := r.ask(q)
	candidates := r.candidates(asked)
	x.mu.RUnlock()
	return best(ctx, x.corpus, candidates, asked, limit)
}

// asked is a question with what its words are worth among the notes there are.
type asked struct {
	Query
	concepts []concept
	total    float64 // of their rarities, never 0
}

// ask works out what a question asks for.
func (r *reader) ask(q Query) asked {
	a := asked{Query: q, concepts: r.analyse(q.Text)}
	for i := range a.concepts {
		r.weigh(&a.concepts[i])
		a.total += a.concepts[i].rarity
	}
	a.total = max(a.total, 1e-9)
	return a
}

// best reads the candidates and returns the best of them by their best passages.
func best(ctx context.Context, corpus Corpus, candidates []scored, q asked, limit int) ([]Hit, error) {
	hits := make([]Hit, len(candidates))
	var wg routine.Group
	var next atomic.Int64
	for range min(runtime.GOMAXPROCS(0), len(candidates)/4+1) {
		wg.Go("rank", func() {
			m := newMatcher(q)
			for i := next.Add(1) - 1; int(i) < len(candidates) && ctx.Err() == nil; i = next.Add(1) - 1 {
				hits[i] = hit(ctx, corpus, m, candidates[i])
			}
		})
	}
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	hits = slices.DeleteFunc(hits, func(h Hit) bool { return len(h.Passages) == 0 })
	slices.SortStableFunc(hits, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), byPath(a.Path, b.Path))
	})
	pathname.CopiesLast(hits, func(h Hit) string { return h.Path }, func(a, b Hit) bool { return a.Text == b.Text })
	return hits[:min(len(hits), limit)], nil
}

// hit reads a candidate and scores it with its best passage; without passages it is none.
func hit(ctx context.Context, corpus Corpus, m *matcher, d scored) Hit {
	text, err := corpus.Head(ctx, d.Path, maxPassageText)
	if err != nil {
		return Hit{}
	}
	meta := d.Meta
	if d.bare {
		meta = parseMeta(text, func(Line) {})
	}
	passages, coverage := m.passages(d.Path, meta, text)
	score := rank(d.score+passageShare*passages[0].Score, coverage)
	if d.Template {
		score *= templateShare
	}
	return Hit{Path: d.Path, Line: passages[0].Line, Score: score, Coverage: coverage, Passages: passages, Text: passages[0].Raw}
}

// templateShare is what is left of the score of a note that new notes are made from.
const templateShare = 0.25

// passageShare is the weight of a note's best passage against the note as a whole.
const passageShare = 0.9

// Shares of the rarity of a word of one note: of a word that no note has, and the least that a
// word has.
const (
	absentShare = 1.6
	commonShare = 0.45
)

// weigh works out the rarity of a concept: that of the word itself if notes use it, else that of a very
// rare word, since it was meant to say something. It takes away the alternatives that no note has.
func (r *reader) weigh(c *concept) {
	switch n := r.frequency(c.alternatives[0].stem); {
	case c.pair && n == 0: // mostly the end of one word and the beginning of the next
	case c.pair:
		c.rarity = r.rarity(n) * c.weight
	case n == 0:
		c.rarity = absentShare * r.rarity(1) * c.weight
	default:
		c.rarity = math.Max(r.rarity(n), commonShare*r.rarity(1)) * c.weight
	}
	for k := range c.alternatives {
		a := &c.alternatives[k]
		if n := r.frequency(a.stem); n == 0 {
			a.weight = 0
		} else if a.tells = 1; k > 0 {
			a.tells = math.Sqrt(math.Min(1, r.rarity(n)*c.weight/c.rarity))
		}
	}
}

// candidates scores every document by counts (BM25F, a concept counting by its best word) and
// returns the best ones.
func (r *reader) candidates(q asked) []scored {
	sc := newScorer(r, q)
	var out []scored
	for d := range r.docs {
		if !q.within(d.Path) {
			continue
		}
		score, coverage := sc.score(d)
		if score > 0 {
			out = append(out, scored{d, score, rank(score, coverage)})
		}
	}
	slices.SortFunc(out, func(a, b scored) int {
		return cmp.Or(cmp.Compare(b.order, a.order), byPath(a.Path, b.Path))
	})
	return out[:min(len(out), maxCandidates)]
}

// byPath orders paths, the shorter one first.
func byPath(a, b string) int {
	return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
}

// scorer scores documents for a question by counts.
type scorer struct {
	asked
	average float64
	uses    map[uint32][]use // of terms
	wanted  []bool           // by term: has uses
	found   []conceptCount
}

// use is an alternative of a concept.
type use struct {
	concept int
	alternative
}

// conceptCount is what a document has of a concept.
type conceptCount struct{ best, rest, near float64 }

func newScorer(r *reader, q asked) *scorer {
	s := &scorer{asked: q, average: r.average, uses: map[uint32][]use{}, wanted: make([]bool, len(r.terms.all())), found: make([]conceptCount, len(q.concepts))}
	for i, c := range q.concepts {
		for _, a := range c.alternatives {
			if id, n := r.terms.find(a.stem); n > 0 && a.weight > 0 {
				s.uses[id] = append(s.uses[id], use{i, a})
				s.wanted[id] = true
			}
		}
	}
	return s
}

// score returns the score of a document and how much of the question it covers, 0 to 1.
func (s *scorer) score(d *document) (score, coverage float64) {
	for _, p := range d.postings {
		if s.wanted[p.term] {
			tf := float64(p.body)/(1-bm25B+bm25B*float64(d.length)/s.average) + float64(p.meta)/8
			for _, u := range s.uses[p.term] {
				v := u.weight * u.tells * tf / (tf + bm25K)
				f := &s.found[u.concept]
				f.rest += min(v, f.best)
				f.best = max(v, f.best)
				f.near = max(u.weight, f.near)
			}
		}
	}
	before := 0.0
	for i, f := range s.found {
		weight := s.concepts[i].rarity * (bm25K + 1)
		if s.concepts[i].overlaps && before > 0 {
			weight *= overlapShare
		}
		before = f.best
		score += weight * (f.best + restShare*math.Min(f.rest, restMost))
		coverage += s.concepts[i].rarity * math.Min(1, f.near)
		s.found[i] = conceptCount{}
	}
	return score, coverage / s.total
}
