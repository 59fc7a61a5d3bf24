package retrieval

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"
)

// maxPassageText bounds the bytes of a note that are looked through for passages.
const maxPassageText = 128 << 10

// maxPassages is how many passages a hit carries.
const maxPassages = 6

// Weights of a word in the headings above a passage, or in the note's name.
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
	Score float64
}

// matcher scores passages for a question.
type matcher struct {
	asked
	uses   map[string][]use // by stem
	stems  map[string]string
	begins prefilter // spares most words the stemmer
}

func newMatcher(q asked) *matcher {
	m := &matcher{asked: q, uses: map[string][]use{}, stems: map[string]string{}}
	stems := map[string]bool{}
	for i, c := range q.concepts {
		for _, a := range c.alternatives {
			if a.weight > 0 {
				m.uses[a.stem] = append(m.uses[a.stem], use{i, a})
				stems[a.stem] = true
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
	tokens int
	spread int // shortest stretch that holds the best matches of all concepts found
}

func (m *matcher) find(text string) found {
	f := found{best: make([]float64, len(m.concepts)), count: make([]int, len(m.concepts))}
	place := make([]int, len(m.concepts)) // of the best match
	eachToken([]byte(text), func(tok []byte) {
		f.tokens++
		if !m.begins.may(tok) {
			return
		}
		stem, ok := m.stems[string(tok)]
		if !ok {
			stem = Stem(string(tok))
			m.stems[string(tok)] = stem
		}
		for _, u := range m.uses[stem] {
			if f.count[u.concept]++; u.weight > f.best[u.concept] {
				f.best[u.concept], place[u.concept] = u.weight, f.tokens
			}
		}
	})
	low, high := math.MaxInt, 0
	for i, at := range place {
		if f.best[i] > 0 {
			low, high = min(low, at), max(high, at)
		}
	}
	if high > 0 {
		f.spread = high - low + 1
	}
	return f
}

// passages returns the best passages of a note, best first, and how much of the question the
// note covers (0 to 1).
func (m *matcher) passages(notePath string, meta Meta, text []byte) ([]Passage, float64) {
	title := m.find(Name(notePath) + " " + meta.Title + " " + strings.Join(meta.Aliases, " ") + " " + strings.Join(meta.Tags, " "))
	covered := append([]float64(nil), title.best...)
	var out []Passage
	heads := map[string]found{}
	for _, b := range Blocks(text) {
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
		out = append(out, Passage{Block: b, Score: m.score(f, head, title)})
	}
	if len(out) == 0 { // a name, tags and properties alone
		out = append(out, Passage{Block: Block{Line: 1}, Score: m.score(m.find(""), title, title)})
	}
	coverage := 0.0
	if named := m.named(title) * (0.2 + 0.8*m.asksFor(Name(notePath), meta)); named > 0 {
		lead := 0.0
		if slices.Min(title.best) >= 0.9 { // the question names the note, whose beginning describes it
			lead = 0.9 * m.total
			if len(nameWords(Name(notePath))) <= len(m.concepts) {
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
	for i, c := range covered {
		coverage += m.concepts[i].rarity * math.Min(1, c) / m.total
	}
	return out[:min(len(out), maxPassages)], coverage
}

// named rates how much of the question the note's name, aliases and tags hold.
func (m *matcher) named(title found) float64 {
	sum, kinds := 0.0, 0
	for i, c := range m.concepts {
		w := c.rarity
		if title.best[i] == 0 {
			continue
		}
		if c.overlaps && title.best[i-1] > 0 {
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

// nameWords returns the content words of a note's name without the numbers that it begins with: "01 - Community" is
// in a place of its folder.
func nameWords(name string) []string {
	return ContentWords(strings.TrimLeftFunc(name, func(r rune) bool { return !unicode.IsLetter(r) }))
}

// asksFor returns how much of one of a note's names the question has at most, 0 to 1.
func (m *matcher) asksFor(name string, meta Meta) float64 {
	most := 0.0
	for _, name := range append([]string{name, meta.Title}, meta.Aliases...) {
		asked := 0
		for _, n := range m.find(name).count {
			if n > 0 {
				asked++
			}
		}
		if asked > 0 {
			most = max(most, float64(asked)/float64(max(asked, len(nameWords(name)))))
		}
	}
	return most
}

// score rates a block: the concepts in it, then those in the headings above it, then those of
// the note's name; several concepts close together count more than one often.
func (m *matcher) score(f, head, title found) float64 {
	sum, here, kinds := 0.0, 0.0, 0
	for i, c := range m.concepts {
		w := c.rarity
		if c.overlaps && f.best[i] > 0 && f.best[i-1] > 0 {
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
	sum *= 0.7 + 0.6*here/m.total
	if kinds > 1 {
		gap := math.Max(0, float64(f.spread-kinds))
		sum *= 1 + 0.61/(1+gap/4)
	}
	// A long block holds many words by chance.
	if f.tokens > longBlock {
		sum /= 1 + 0.5*math.Log(float64(f.tokens)/longBlock)
	}
	return sum
}
