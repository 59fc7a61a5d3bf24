package retrieval

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"
)

// Bounds of the bytes that are looked through for passages: of one note, and of all candidates.
const (
	maxPassageText = 128 << 10
	maxSearchText  = 768 << 10
)

// maxPassages is how many passages a hit carries.
const maxPassages = 6

// What a word counts for in a passage that stands in the headings above it, or in the note's name.
const (
	headingShare = 0.61
	titleShare   = 0.37
)

// overlapShare is what a pair of characters counts for after the pair that it overlaps with: a long word
// says little more than a short one.
const overlapShare = 0.5

// longBlock is the number of words from which on a block counts as long.
const longBlock = 40

// Passage is a block with how well it answers.
type Passage struct {
	Block
	Score   float64
	Excerpt string // what of it is quoted, where that is not all; for whoever answers
}

// matcher scores passages for a question.
type matcher struct {
	asked
	phrases map[string][]phrase // by their first stem
	stems   map[string]string
	begins  prefilter // spares most words the stemmer
	seq     []string  // scratch: the stems of a text, "" for those that match nothing
}

// phrase is a word or several that stand for a concept.
type phrase struct {
	stems   []string
	concept int
	weight  float64
}

func newMatcher(q asked) *matcher {
	m := &matcher{asked: q, phrases: map[string][]phrase{}, stems: map[string]string{}}
	stems := map[string]bool{}
	for i, c := range q.concepts {
		for _, a := range c.alternatives {
			if a.weight == 0 {
				continue
			}
			m.phrases[a.stems[0]] = append(m.phrases[a.stems[0]], phrase{a.stems, i, a.weight})
			for _, s := range a.stems {
				stems[s] = true
			}
		}
	}
	m.begins.addForms(stems)
	return m
}

// found is what a text has of the concepts.
type found struct {
	best   []float64 // per concept, 0 to about 1
	count  []int
	place  []int // position of the best match, -1 none
	tokens int
	spread int // shortest stretch that holds the best matches of all concepts found
}

func (m *matcher) find(text string) found {
	f := found{best: make([]float64, len(m.concepts)), count: make([]int, len(m.concepts)), place: make([]int, len(m.concepts))}
	for i := range f.place {
		f.place[i] = -1
	}
	seq := m.seq[:0]
	eachToken([]byte(text), func(tok []byte) {
		if !m.begins.may(tok) {
			seq = append(seq, "")
			return
		}
		s, ok := m.stems[string(tok)]
		if !ok {
			w := string(tok)
			s = Stem(w)
			m.stems[w] = s
		}
		seq = append(seq, s)
	})
	m.seq = seq
	f.tokens = len(seq)
	for i, s := range seq {
		if s == "" {
			continue
		}
		for _, p := range m.phrases[s] {
			if i+len(p.stems) > len(seq) || !slices.Equal(seq[i:i+len(p.stems)], p.stems) {
				continue
			}
			if f.count[p.concept]++; p.weight > f.best[p.concept] {
				f.best[p.concept], f.place[p.concept] = p.weight, i
			}
		}
	}
	low, high := math.MaxInt, -1
	for _, at := range f.place {
		if at >= 0 {
			low, high = min(low, at), max(high, at)
		}
	}
	if high >= 0 {
		f.spread = high - low + 1
	}
	return f
}

// passages returns the best passages of a note, best first, and how much of the question the
// note covers (0 to 1).
func (m *matcher) passages(notePath string, meta Meta, text []byte) ([]Passage, float64) {
	title := m.find(Name(notePath) + " " + meta.Title + " " + strings.Join(meta.Aliases, " ") + " " + strings.Join(meta.Tags, " "))
	blocks := Blocks(text)
	covered := append([]float64(nil), title.best...)
	var out []Passage
	heads := map[string]found{}
	for _, b := range blocks {
		if b.Kind == LineProperty && (strings.HasPrefix(b.Text, "tag") || strings.HasPrefix(b.Text, "alias") || strings.HasPrefix(b.Text, "title:")) {
			continue
		}
		key := strings.Join(b.Headings, "\n")
		head, ok := heads[key]
		if !ok {
			head = m.find(key)
			heads[key] = head
		}
		f := m.find(b.Text)
		if b.Kind == LineProperty && f.spread == 0 {
			continue // says something else
		}
		for i := range covered {
			covered[i] = math.Max(covered[i], math.Max(f.best[i], head.best[i]))
		}
		out = append(out, Passage{Block: b, Score: m.score(f, head, title) * m.fits(b)})
	}
	if len(out) == 0 { // a name, tags and properties alone
		out = append(out, Passage{Block: Block{Line: 1}, Score: m.score(m.find(""), title, title)})
	}
	coverage := 0.0
	if named := m.named(title) * (0.2 + 0.8*m.asksFor(append(meta.Aliases, Name(notePath), meta.Title))); named > 0 {
		lead := 0.0
		if slices.Min(title.best) >= 0.9 { // the question names the note: what stands first in it says what it is about
			lead = 0.9 * m.total
			if len(ContentWords(Name(notePath))) <= len(m.concepts) {
				named += 1.2 * m.total
			}
		}
		for i := range out {
			out[i].Score += named
			if out[i].Kind != LineProperty {
				out[i].Score += lead
				lead *= 0.6
			}
		}
	}
	slices.SortStableFunc(out, func(a, b Passage) int { return cmp.Compare(b.Score, a.Score) })
	if m.total > 0 {
		for i, c := range covered {
			coverage += m.rarity[i] * math.Min(1, c)
		}
		coverage /= m.total
	}
	return out[:min(len(out), maxPassages)], coverage
}

// named rates how much of the question the note's name, aliases and tags hold.
func (m *matcher) named(title found) float64 {
	sum, kinds := 0.0, 0
	for i, w := range m.rarity {
		if title.best[i] == 0 {
			continue
		}
		if m.concepts[i].overlaps && title.best[i-1] > 0 {
			w *= overlapShare
		} else {
			kinds++
		}
		sum += w * title.best[i]
	}
	if kinds > 1 {
		return 1.26 * sum
	}
	return 0.26 * sum
}

// asksFor returns how much of one of the names the question has at most, 0 to 1.
func (m *matcher) asksFor(names []string) float64 {
	most := 0.0
	for _, name := range names {
		asked := 0
		for _, n := range m.find(name).count {
			if n > 0 {
				asked++
			}
		}
		if asked > 0 {
			most = max(most, float64(asked)/float64(max(asked, len(ContentWords(name)))))
		}
	}
	return most
}

// score rates a block: the concepts in it, then those in the headings above it, then those of
// the note's name; several concepts close together count more than one often.
func (m *matcher) score(f, head, title found) float64 {
	sum, here, kinds := 0.0, 0.0, 0
	for i, w := range m.rarity {
		if m.concepts[i].overlaps && f.best[i] > 0 && f.best[i-1] > 0 {
			w *= overlapShare
		}
		body := f.best[i] * (1 + 0.1*math.Log1p(float64(max(0, f.count[i]-1))))
		v := math.Max(body, math.Max(headingShare*head.best[i], titleShare*title.best[i]))
		sum += w * v
		here += w * math.Min(1, f.best[i])
		if f.best[i] > 0 {
			kinds++
		}
	}
	if m.total > 0 {
		sum *= 0.7 + 0.6*here/m.total
	}
	if kinds > 1 {
		gap := math.Max(0, float64(f.spread-kinds))
		sum *= 1 + 0.61/(1+gap/4)
	}
	// A long block holds many words by chance; a very short one says little.
	if f.tokens > longBlock {
		sum /= 1 + 0.5*math.Log(float64(f.tokens)/longBlock)
	} else if f.tokens < 4 {
		sum *= 0.8
	}
	return sum
}

// fits rates the kind of a block for the kind of question.
func (m *matcher) fits(b Block) float64 {
	k := 1.0
	switch b.Kind {
	case LineCode:
		k = 0.8
	case LineProperty:
		k = 0.75
	}
	if m.hint != nil && m.hint(b.Text) {
		k *= 1.2
	}
	when := func(d string) bool { return d >= m.From.Format(time.DateOnly) && d < m.To.Format(time.DateOnly) }
	if !m.From.IsZero() && slices.ContainsFunc(isoDates(b.Text), when) {
		k *= 1.3
	}
	return k
}

var dateWords = WordSet(`january february march april may june july august september october november december
	jan feb mar apr jun jul aug sep sept oct nov dec monday tuesday wednesday thursday friday saturday sunday
	today tomorrow yesterday spring summer autumn winter christmas easter`)

func hasFigure(s string) bool { return strings.ContainsAny(s, "0123456789") }

// hasDate says whether a text names a day, month, year or hour.
func hasDate(s string) bool {
	return slices.ContainsFunc(Words(s), func(w string) bool {
		return dateWords()[w] || len(w) == 4 && (strings.HasPrefix(w, "19") || strings.HasPrefix(w, "20")) && isDigit(w[2]) && isDigit(w[3])
	})
}
