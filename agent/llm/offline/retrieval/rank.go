package retrieval

import (
	"bytes"
	"cmp"
	"context"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"chatvault/internal/routine"
)

// BM25F parameters: saturation of repeated words, and how much long notes are held back.
const (
	bm25K = 2.39
	bm25B = 0.83
)

// What further words of a concept add to the best one, and the most that is counted of them.
const (
	restShare = 0.35
	restMost  = 1.53
)

// maxCandidates is how many of the best notes by counts are read to find the best passage.
const maxCandidates = 24

// Hit is a note that fits a question.
type Hit struct {
	Path     string
	Line     int     // 1-based first line of the best passage
	Score    float64 // comparable within one result only
	Coverage float64 // 0 to 1: how much of what was asked the note speaks of
	Passages []Passage
	Text     string // of the best passage, as it stands in the note
}

// linesOf are the lines of a text from one to another, 1-based.
func linesOf(text []byte, from, to int) string {
	var out []byte
	for n := 1; n <= to && len(text) > 0; n++ {
		line, rest, _ := bytes.Cut(text, []byte("\n"))
		if text = rest; n >= from {
			out = append(append(out, bytes.TrimSuffix(line, []byte("\r"))...), '\n')
		}
	}
	return strings.TrimSuffix(string(out), "\n")
}

// reader is a consistent view of the index during one search.
type reader struct {
	segments  []*segment
	thesaurus *Thesaurus
	live      int
	average   float64 // bytes a document
}

func (x *Index) reader() *reader {
	return newReader(x.segments, DefaultThesaurus(), len(x.where), x.bytes)
}

// newReader is a view of segments with so many documents, of so many bytes.
func newReader(segments []*segment, t *Thesaurus, documents int, bytes int64) *reader {
	return &reader{segments, t, documents, max(1, float64(bytes)/max(1, float64(documents)))}
}

func (r *reader) frequency(stem string) int {
	n := 0
	for _, seg := range r.segments {
		if id, ok := seg.terms[stem]; ok {
			n += len(seg.postings[id])
		}
	}
	return n
}

// rarity is the inverse document frequency of a term that n documents have.
func (r *reader) rarity(n int) float64 {
	return math.Log(1 + (float64(r.live)-float64(n)+0.5)/(float64(n)+0.5))
}

// scored is a document with its score by counts.
type scored struct {
	at       location
	score    float64
	coverage float64
	order    float64 // its rank by counts
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
	rarity   []float64 // of each concept
	total    float64   // of the rarities
	hint     hint
}

// ask works out what a question asks for.
func (r *reader) ask(q Query) asked {
	a := asked{Query: q}
	a.concepts, a.hint = analyse(q.Text, r.thesaurus, r)
	a.rarity = r.weigh(a.concepts)
	for _, w := range a.rarity {
		a.total += w
	}
	return a
}

// best reads the candidates and returns the best of them by their best passages.
func best(ctx context.Context, corpus Corpus, candidates []scored, q asked, limit int) ([]Hit, error) {
	hits := make([]Hit, len(candidates))
	var wg routine.Group
	var next, read atomic.Int64
	for range min(runtime.GOMAXPROCS(0), len(candidates)/4+1) {
		wg.Go("rank", func() {
			m := newMatcher(q)
			for i := next.Add(1) - 1; int(i) < len(candidates) && ctx.Err() == nil; i = next.Add(1) - 1 {
				if int(i) >= sureCandidates && read.Load() > maxSearchText {
					return
				}
				hits[i] = hit(ctx, corpus, m, candidates[i], &read)
			}
		})
	}
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	hits = slices.DeleteFunc(hits, func(h Hit) bool { return len(h.Passages) == 0 })
	slices.SortStableFunc(hits, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Path, b.Path))
	})
	return hits[:min(len(hits), limit)], nil
}

// sureCandidates are read however long they are.
const sureCandidates = 6

// hit reads a candidate and scores it with its best passage; without passages it is none.
func hit(ctx context.Context, corpus Corpus, m *matcher, c scored, read *atomic.Int64) Hit {
	d := c.at.document()
	text, err := corpus.Head(ctx, d.Path, maxPassageText)
	if err != nil {
		return Hit{}
	}
	read.Add(int64(len(text)))
	meta := d.Meta
	if c.at.seg.bare {
		meta = parseMeta(d.Path, text, func(Line, bool) {})
	}
	passages, coverage := m.passages(d.Path, meta, text)
	if len(passages) == 0 {
		return Hit{}
	}
	coverage = math.Max(coverage, c.coverage*0.9)
	score := rank(c.score+passageShare*passages[0].Score, coverage)
	if isTemplate(d.Path, text) {
		score *= templateShare
	}
	return Hit{Path: d.Path, Line: passages[0].Line, Score: score, Coverage: coverage, Passages: passages, Text: linesOf(text, passages[0].Line, passages[0].End)}
}

// templateShare is what is left of the score of a note that new notes are made from.
const templateShare = 0.25

// passageShare is the weight of a note's best passage against the note as a whole.
const passageShare = 0.77

// isTemplate recognises notes that new notes are made from.
func isTemplate(p string, text []byte) bool {
	return strings.Contains(strings.ToLower(folderOf(p))+"/", "templates/") || strings.Contains(string(text[:min(len(text), 4096)]), "{{title}}")
}

// conceptRarity is the weight a concept has in a question: the rarity of the word itself where
// notes use it, else that of a very rare word, as whoever asks meant something by it.
func (r *reader) conceptRarity(c concept) float64 {
	n := r.phraseFrequency(c.alternatives[0].stems)
	if n == 0 {
		return absentShare * r.rarity(1) * c.weight
	}
	return math.Max(r.rarity(n), commonShare*r.rarity(1)) * c.weight
}

// Shares of the rarity of a word of one note: of a word that no note has, and the least that a
// word has.
const (
	absentShare = 1.4
	commonShare = 0.45
)

// weigh returns the rarity of each concept, and takes away the alternatives that no note has.
func (r *reader) weigh(concepts []concept) []float64 {
	rarities := make([]float64, len(concepts))
	for i, c := range concepts {
		rarities[i] = r.conceptRarity(c)
		for k := range c.alternatives {
			a := &c.alternatives[k]
			switch n := r.phraseFrequency(a.rare); {
			case n == 0:
				a.weight = 0
			case k == 0:
				a.tells = 1
			case len(a.rare) > 0:
				a.tells = math.Sqrt(math.Min(1, r.rarity(n)*c.weight/rarities[i]))
			}
		}
	}
	return rarities
}

// phraseFrequency bounds from above how many documents have all stems.
func (r *reader) phraseFrequency(stems []string) int {
	n := math.MaxInt
	for _, s := range stems {
		n = min(n, r.frequency(s))
	}
	return n
}

// candidates scores every document by counts (BM25F, a concept counting by its best word) and
// returns the best ones.
func (r *reader) candidates(q asked) []scored {
	var out []scored
	for _, seg := range r.segments {
		score := make([]float64, len(seg.docs))
		cover := make([]float64, len(seg.docs))
		best := make([]float64, len(seg.docs))
		rest := make([]float64, len(seg.docs))
		near := make([]float64, len(seg.docs))
		var touched []uint32
		for ci, c := range q.concepts {
			touched = touched[:0]
			for _, a := range c.alternatives {
				if a.weight == 0 || len(a.rare) == 0 {
					continue
				}
				r.eachMatch(seg, a.rare, func(doc uint32, tf float64) {
					v := a.weight * a.tells * tf / (tf + bm25K)
					if best[doc] == 0 {
						touched = append(touched, doc)
					}
					if v > best[doc] {
						rest[doc] += best[doc]
						best[doc] = v
					} else {
						rest[doc] += v
					}
					near[doc] = math.Max(near[doc], a.weight)
				})
			}
			for _, doc := range touched {
				score[doc] += q.rarity[ci] * (bm25K + 1) * (best[doc] + restShare*math.Min(rest[doc], restMost))
				cover[doc] += q.rarity[ci] * math.Min(1, near[doc])
				best[doc], rest[doc], near[doc] = 0, 0, 0
			}
		}
		for i := range seg.docs {
			d := &seg.docs[i]
			if d.gone || !q.within(d.Path) {
				continue
			}
			s := score[i]
			if !q.From.IsZero() {
				s += timeBonus(d, q.Query) * (1 + q.total*0.35)
			}
			if s > 0 {
				coverage := 0.0
				if q.total > 0 {
					coverage = cover[i] / q.total
				}
				out = append(out, scored{location{seg, uint32(i)}, s, coverage, rank(s, coverage)})
			}
		}
	}
	slices.SortFunc(out, func(a, b scored) int {
		return cmp.Or(cmp.Compare(b.order, a.order), cmp.Compare(a.at.document().Path, b.at.document().Path))
	})
	return out[:min(len(out), maxCandidates)]
}

// eachMatch yields the documents that have all stems, with the weighted, length-normalised
// number of occurrences (of the rarest one).
func (r *reader) eachMatch(seg *segment, stems []string, yield func(doc uint32, tf float64)) {
	lists := make([][]posting, 0, 4)
	for _, s := range stems {
		id, ok := seg.terms[s]
		if !ok {
			return
		}
		lists = append(lists, seg.postings[id])
	}
postings:
	for _, p := range lists[0] {
		d := &seg.docs[p.doc]
		if d.gone {
			continue
		}
		body, meta := p.body, p.meta
		for _, other := range lists[1:] {
			i, ok := slices.BinarySearchFunc(other, p.doc, func(p posting, doc uint32) int { return cmp.Compare(p.doc, doc) })
			if !ok {
				continue postings
			}
			body, meta = min(body, other[i].body), min(meta, other[i].meta)
		}
		tf := float64(body)/(1-bm25B+bm25B*float64(d.length)/r.average) + float64(meta)/8
		if len(lists) > 1 {
			tf *= 0.8 // both words, but perhaps apart
		}
		if tf > 0 {
			yield(p.doc, tf)
		}
	}
}

// timeBonus is 1 for a note of the time that was asked for, by its own date; less where only
// its modification time fits.
func timeBonus(d *document, q Query) float64 {
	for _, s := range d.Dates {
		if t, err := time.ParseInLocation(time.DateOnly, s, q.From.Location()); err == nil && !t.Before(q.From) && t.Before(q.To) {
			return 1
		}
	}
	if !d.Modified.Before(q.From) && d.Modified.Before(q.To) {
		return 0.3
	}
	return 0
}

// Passages rates the blocks of a text for a question as Search does, best first. The text is
// a note, or the part of it that begins at firstLine.
func (x *Index) Passages(q Query, notePath string, text []byte, firstLine int) []Passage {
	x.mu.RLock()
	r := x.reader()
	asked := r.ask(q)
	var meta Meta
	if at, ok := x.where[notePath]; ok {
		meta = at.document().Meta
	}
	x.mu.RUnlock()
	out, _ := newMatcher(asked).passages(notePath, meta, text)
	for i := range out {
		out[i].Line += firstLine - 1
		out[i].End += firstLine - 1
	}
	return out
}
