package retrieval

import (
	"hash/fnv"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"

	"chatvault/internal/routine"
)

// Associations say how near words are in meaning, also where the thesaurus does not relate them
// directly: "oven" and "flour", both a step away from "baking". Every entry of the thesaurus has
// a vector; words that share relations, or relations of relations, or a section of the thesaurus,
// have similar ones. The vectors are random at first and made by letting each take over a share
// of its neighbours' for a few rounds (diffusion over the graph of relations, projected to few
// dimensions). The seed is fixed: the same thesaurus gives the same vectors.
type associations struct {
	thesaurus *Thesaurus
	vectors   []float32 // of all entries, dimensions each
}

const (
	dimensions   = 96
	rounds       = 2
	ownShare     = 0.55 // of its own vector that a word keeps each round
	sectionShare = 0.35 // weight of a word's section among its neighbours
)

// vector is that of an entry.
func (a *associations) vector(entry string) ([]float32, bool) {
	id, ok := a.thesaurus.ids[entry]
	if !ok {
		return nil, false
	}
	return row(a.vectors, int(id)), true
}

func row(v []float32, i int) []float32 { return v[i*dimensions : (i+1)*dimensions : (i+1)*dimensions] }

// associate makes the vectors. It is done once, at the first question.
func associate(t *Thesaurus) *associations {
	n := len(t.names)
	sections := map[string][]float32{}
	for _, names := range t.sections {
		for _, s := range names {
			if sections[s] == nil {
				v := make([]float32, dimensions)
				fillRandom(v, "section "+s)
				sections[s] = v
			}
		}
	}
	cur := make([]float32, n*dimensions)
	share(n, func(i int) { fillRandom(row(cur, i), t.names[i]) })
	scale := make([]float32, n) // one over the root of how many relations an entry has
	for i := range scale {
		scale[i] = float32(1 / math.Sqrt(float64(max(1, len(t.linksOf(int32(i)))))))
	}
	next := make([]float32, n*dimensions)
	for range rounds {
		share(n, func(i int) {
			v := row(next, i)
			clear(v)
			for _, l := range t.linksOf(int32(i)) {
				addScaled(v, row(cur, int(l.to)), float32(l.kind.nearness())*scale[i]*scale[l.to])
			}
			normalise(v)
			for _, s := range t.sections[i] {
				addScaled(v, sections[s], sectionShare)
			}
			normalise(v)
			addScaled(v, row(cur, i), ownShare)
			normalise(v)
		})
		cur, next = next, cur
	}
	return &associations{t, cur}
}

// share does 0 to n-1 on all processors.
func share(n int, do func(int)) {
	var wg routine.Group
	workers := runtime.GOMAXPROCS(0)
	for w := range workers {
		wg.Go("associate", func() {
			for i := n * w / workers; i < n*(w+1)/workers; i++ {
				do(i)
			}
		})
	}
	wg.Wait()
}

var defaultAssociations = sync.OnceValue(func() *associations { return associate(DefaultThesaurus()) })

// fillRandom makes v the random vector of a name, of length one: each coordinate has the same
// size and either sign, which projects as well as the normal distribution does (Achlioptas 2003).
func fillRandom(v []float32, name string) {
	h := fnv.New64a()
	_, _ = h.Write([]byte(name))
	r := rand.NewPCG(h.Sum64(), 1)
	size := float32(1 / math.Sqrt(dimensions))
	var bits uint64
	for i := range v {
		if i%64 == 0 {
			bits = r.Uint64()
		}
		v[i] = size
		if bits>>(i%64)&1 == 0 {
			v[i] = -size
		}
	}
}

func addScaled(v, w []float32, k float32) {
	w = w[:len(v)]
	for i := range v {
		v[i] += k * w[i]
	}
}

func normalise(v []float32) {
	var sum float32
	for _, x := range v {
		sum += x * x
	}
	if sum == 0 {
		return
	}
	k := float32(1 / math.Sqrt(float64(sum)))
	for i := range v {
		v[i] *= k
	}
}

// of is the vector of a concept: of the entry itself, else of its words.
func (a *associations) of(stems []string) []float32 {
	if v, ok := a.vector(strings.Join(stems, " ")); ok {
		return v
	}
	var sum []float32
	for _, s := range stems {
		if v, ok := a.vector(s); ok {
			if sum == nil {
				sum = make([]float32, dimensions)
			}
			addScaled(sum, v, 1)
		}
	}
	if sum != nil {
		normalise(sum)
	}
	return sum
}

// titleTopic is how much more a word of a note's name says of its topic than one of its text.
const titleTopic = 3

// topical is the vector of a word times what it says of the topic of a text; nil where it
// says nothing.
func (a *associations) topical(word, stem string) []float32 {
	v, ok := a.vector(stem)
	if !ok || stopWords()[word] {
		return nil
	}
	if weakWords()[stem] {
		w := make([]float32, dimensions)
		addScaled(w, v, 0.3)
		return w
	}
	return v
}

// topic is a vector of length one in few bytes: what a text is about.
type topic [dimensions]int8

func newTopic(sum []float32) topic {
	v := append([]float32(nil), sum...)
	normalise(v)
	var t topic
	for i, x := range v {
		t[i] = int8(math.Round(float64(x) * 127))
	}
	return t
}

// nearness is the cosine of two topics: 0 for strangers, 1 for the same.
func (t *topic) nearness(o *topic) float64 {
	sum := int32(0)
	for i := range t {
		sum += int32(t[i]) * int32(o[i])
	}
	return math.Max(0, float64(sum)/(127*127))
}

// topicOf is the topic of a question.
func topicOf(concepts []concept, rarity []float64) topic {
	sum := make([]float32, dimensions)
	a := defaultAssociations()
	for i, c := range concepts {
		if v := a.of(c.alternatives[0].stems); v != nil {
			addScaled(sum, v, float32(rarity[i]))
		}
	}
	return newTopic(sum)
}
