package retrieval

import (
	"hash/fnv"
	"math"
	"math/rand/v2"
	"sort"
	"strings"
	"sync"
)

// Associations say how near words are in meaning, also where the thesaurus does not relate them
// directly: "oven" and "flour", both a step away from "baking". Every entry of the thesaurus has
// a vector; words that share relations, or relations of relations, or a section of the thesaurus,
// have similar ones. The vectors are random at first and made by letting each take over a share
// of its neighbours' for a few rounds (diffusion over the graph of relations, projected to few
// dimensions). The seed is fixed: the same thesaurus gives the same vectors.
type associations struct {
	vectors map[string][]float32
}

const (
	dimensions   = 96
	rounds       = 2
	ownShare     = 0.55 // of its own vector that a word keeps each round
	sectionShare = 0.35 // weight of a word's section among its neighbours
)

// associate makes the vectors. It is done once, at the first question.
func associate(t *Thesaurus) *associations {
	names := make([]string, 0, len(t.links))
	for name := range t.links {
		names = append(names, name)
	}
	sort.Strings(names)
	at := make(map[string]int, len(names))
	for i, n := range names {
		at[n] = i
	}
	first := len(names) // the sections' vectors come after the words'
	sections := map[string]int{}
	for _, n := range names {
		for _, s := range t.sections[n] {
			if _, ok := sections[s]; !ok {
				sections[s] = first + len(sections)
			}
		}
	}
	cur := make([][]float32, first+len(sections))
	for i, n := range names {
		cur[i] = randomVector(n)
	}
	for s, i := range sections {
		cur[i] = randomVector("section " + s)
	}
	fixed := cur
	for range rounds {
		next := make([][]float32, len(cur))
		for i, n := range names {
			v := make([]float32, dimensions)
			for _, l := range t.links[n] {
				w := float32(l.weight / math.Sqrt(float64(len(t.links[n]))*float64(max(1, len(t.links[l.to])))))
				addScaled(v, cur[at[l.to]], w)
			}
			normalise(v)
			for _, s := range t.sections[n] {
				addScaled(v, fixed[sections[s]], sectionShare)
			}
			normalise(v)
			addScaled(v, cur[i], ownShare)
			normalise(v)
			next[i] = v
		}
		for _, i := range sections {
			next[i] = cur[i]
		}
		cur = next
	}
	a := &associations{vectors: make(map[string][]float32, len(names))}
	for i, n := range names {
		a.vectors[n] = cur[i]
	}
	return a
}

var defaultAssociations = sync.OnceValue(func() *associations { return associate(DefaultThesaurus()) })

func randomVector(name string) []float32 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(name))
	r := rand.New(rand.NewPCG(h.Sum64(), 1))
	v := make([]float32, dimensions)
	for i := range v {
		v[i] = float32(r.NormFloat64())
	}
	normalise(v)
	return v
}

func addScaled(v, w []float32, k float32) {
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
	if v, ok := a.vectors[strings.Join(stems, " ")]; ok {
		return v
	}
	var sum []float32
	for _, s := range stems {
		if v, ok := a.vectors[s]; ok {
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
	v, ok := a.vectors[stem]
	if !ok || stopWords[word] {
		return nil
	}
	if weakWords[stem] {
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
