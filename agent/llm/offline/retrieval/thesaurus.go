package retrieval

import (
	"cmp"
	"embed"
	"io/fs"
	"slices"
	"strings"
	"sync"
)

//go:embed thesaurus/*.txt
var thesaurusFiles embed.FS

// Weights of related words, relative to the word itself.
const (
	nearTwice  = 0.7  // further factor of a relation over another word
	nearFloor  = 0.19 // fainter relations are dropped
	maxRelated = 120  // relations kept for a word
)

var nearness = [...]float64{synonym: 0.57, narrower: 0.66, broader: 0.5}

// relation is the way one entry stands for another.
type relation uint8

const (
	synonym  relation = iota // "sofa" for "couch"
	narrower                 // "peach" for "fruit"
	broader                  // "fruit" for "peach"
)

// Related is a word that may stand for another.
type Related struct {
	Stem   string
	Weight float64 // 0 to 1
}

// Thesaurus relates words by their stems, which are numbered in the order they are met.
type Thesaurus struct {
	names []string
	ids   map[string]int32 // by name
	links [][]link         // of each

	mu    sync.Mutex // of cache
	cache map[string][]Related
}

type link struct {
	to   int32
	kind relation
}

// DefaultThesaurus returns the built-in thesaurus. It is loaded once.
var DefaultThesaurus = sync.OnceValue(func() *Thesaurus {
	return ParseThesaurus(thesaurusLines(func(string) bool { return true }))
})

// thesaurusLines are some lines of the thesaurus that comes with the program.
func thesaurusLines(some func(line string) bool) string {
	var text strings.Builder
	names, _ := fs.Glob(thesaurusFiles, "thesaurus/*.txt") // the pattern is right
	for _, name := range names {
		data, _ := thesaurusFiles.ReadFile(name) // it is in the program
		for line := range strings.Lines(string(data)) {
			if some(line) {
				text.WriteString(line)
			}
		}
	}
	return text.String()
}

// thesaurusFor is the part of the thesaurus that speaks of the words of a question, which takes a
// fraction of the time where only one is asked.
func thesaurusFor(question string) *Thesaurus {
	var begins []string
	for _, w := range ContentWords(question) {
		if base, ok := irregular()[w]; ok {
			begins = append(begins, base[:min(len(base), 4)])
		}
		begins = append(begins, w[:min(len(w), 4)])
	}
	return ParseThesaurus(thesaurusLines(func(line string) bool {
		return slices.ContainsFunc(begins, func(b string) bool { return strings.Contains(line, b) })
	}))
}

// ParseThesaurus reads the format described at the top of thesaurus/general.txt. Entries of several
// words are passed over.
func ParseThesaurus(text string) *Thesaurus {
	t := &Thesaurus{ids: map[string]int32{}, cache: map[string][]Related{}}
	written := map[string]int32{} // entries by how they are written
	entries := func(list string) (ids []int32) {
		for raw := range strings.SplitSeq(list, ",") {
			id, ok := written[raw]
			if !ok {
				id = -1
				if words := Words(raw); len(words) == 1 {
					id = t.id(Stem(words[0]))
				}
				written[raw] = id
			}
			if id >= 0 {
				ids = append(ids, id)
			}
		}
		return ids
	}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		broad, kinds, ok := strings.Cut(line, ">")
		above, below := entries(broad), entries(kinds)
		for i, a := range above {
			for _, b := range below {
				t.relate(a, b, narrower, broader)
			}
			for _, b := range above[i+1:] {
				if !ok {
					t.relate(a, b, synonym, synonym)
				}
			}
		}
	}
	return t
}

// id returns the number of a stem, a new one if need be.
func (t *Thesaurus) id(stem string) int32 {
	id, ok := t.ids[stem]
	if !ok {
		id = int32(len(t.names))
		t.ids[stem] = id
		t.names, t.links = append(t.names, stem), append(t.links, nil)
	}
	return id
}

func (t *Thesaurus) relate(a, b int32, there, back relation) {
	if a != b {
		t.links[a] = append(t.links[a], link{b, there})
		t.links[b] = append(t.links[b], link{a, back})
	}
}

// Has reports whether a stem has related words.
func (t *Thesaurus) Has(stem string) bool {
	id, ok := t.ids[stem]
	return ok && len(t.links[id]) > 0
}

// Related returns what may stand for a stem, over one relation or two, strongest first.
func (t *Thesaurus) Related(stem string) []Related {
	t.mu.Lock()
	defer t.mu.Unlock()
	if r, ok := t.cache[stem]; ok || !t.Has(stem) {
		return r
	}
	id := t.ids[stem]
	best := map[int32]float64{}
	for _, a := range t.links[id] {
		best[a.to] = max(best[a.to], nearness[a.kind])
		for _, b := range t.links[a.to] {
			// From a narrower word up and down again are siblings, not the same thing.
			if a.kind == broader && b.kind != synonym {
				continue
			}
			if w := nearness[a.kind] * nearness[b.kind] * nearTwice; w >= nearFloor && b.to != id {
				best[b.to] = max(best[b.to], w)
			}
		}
	}
	out := make([]Related, 0, len(best))
	for to, w := range best {
		out = append(out, Related{t.names[to], w})
	}
	slices.SortFunc(out, func(a, b Related) int {
		return cmp.Or(cmp.Compare(b.Weight, a.Weight), cmp.Compare(a.Stem, b.Stem))
	})
	t.cache[stem] = out[:min(len(out), maxRelated)]
	return t.cache[stem]
}
