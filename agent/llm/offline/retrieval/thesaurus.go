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

// How much a related word counts for, against the word itself.
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

// Related is a word or phrase that may stand for another.
type Related struct {
	Stems  []string // one for a word, several for a phrase
	Weight float64  // 0 to 1
}

// Thesaurus relates words by their stems. Entries are numbered in the order they are met.
type Thesaurus struct {
	names   []string         // of entries: stems joined with a space
	ids     map[string]int32 // by name
	links   [][]link         // of each entry
	longest int              // words in the longest entry

	mu    sync.Mutex // of links and cache
	cache map[string][]Related
}

type link struct {
	to   int32
	kind relation
}

// DefaultThesaurus is the one that comes with the program, loaded once.
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

// thesaurusReader collects the relations of a thesaurus as they are read.
type thesaurusReader struct {
	*Thesaurus
	written map[string]int32  // entries by how they are written
	stems   map[string]string // words by how they are written
	scratch []byte
}

// ParseThesaurus reads the format described at the top of thesaurus/general.txt.
func ParseThesaurus(text string) *Thesaurus {
	size := len(text) / 32
	t := &Thesaurus{ids: make(map[string]int32, size), cache: map[string][]Related{}, longest: 1}
	r := thesaurusReader{
		Thesaurus: t,
		written:   make(map[string]int32, size),
		stems:     make(map[string]string, size),
	}
	var left, right []int32
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		if broad, kinds, ok := strings.Cut(line, ">"); ok {
			left, right = r.entries(left[:0], broad), r.entries(right[:0], kinds)
			for _, k := range right {
				for _, b := range left {
					r.relate(b, k, narrower)
					r.relate(k, b, broader)
				}
			}
			continue
		}
		left = r.entries(left[:0], line)
		for _, a := range left {
			for _, b := range left {
				r.relate(a, b, synonym)
			}
		}
	}
	return t
}

// entries appends the entries of a list that commas separate.
func (r *thesaurusReader) entries(out []int32, list string) []int32 {
	for raw := range strings.SplitSeq(list, ",") {
		raw = strings.TrimSpace(raw)
		id, ok := r.written[raw]
		if !ok {
			id = r.entry(raw)
			r.written[raw] = id
		}
		if id >= 0 {
			out = append(out, id)
		}
	}
	return out
}

// entry numbers an entry; one without words is -1.
func (r *thesaurusReader) entry(raw string) int32 {
	name, words := r.scratch[:0], 0
	add := func(stem string) {
		if words++; words > 1 {
			name = append(name, ' ')
		}
		name = append(name, stem...)
	}
	if plainWords(raw) {
		for w := range strings.FieldsSeq(raw) {
			add(r.stem(w))
		}
	} else {
		eachToken([]byte(raw), func(tok []byte) { add(r.stem(string(tok))) })
	}
	r.scratch = name
	if words == 0 {
		return -1
	}
	r.longest = max(r.longest, words)
	id, ok := r.ids[string(name)]
	if !ok {
		id = int32(len(r.names))
		r.names = append(r.names, string(name))
		r.links = append(r.links, make([]link, 0, 8))
		r.ids[r.names[id]] = id
	}
	return id
}

func (r *thesaurusReader) stem(word string) string {
	s, ok := r.stems[word]
	if !ok {
		s = Stem(word)
		r.stems[word] = s
	}
	return s
}

// plainWords says whether s is lower-case letters and spaces, whose words need no tokenizer.
func plainWords(s string) bool {
	for i := range len(s) {
		if (s[i] < 'a' || s[i] > 'z') && s[i] != ' ' {
			return false
		}
	}
	return len(s) <= maxToken
}

func (r *thesaurusReader) relate(from, to int32, kind relation) {
	if from != to {
		r.links[from] = append(r.links[from], link{to, kind})
	}
}

// linksOf returns the relations of an entry, of several to the same other one the nearest.
func (t *Thesaurus) linksOf(id int32) []link {
	links := t.links[id]
	slices.SortFunc(links, func(a, b link) int {
		return cmp.Or(cmp.Compare(a.to, b.to), cmp.Compare(nearness[b.kind], nearness[a.kind]))
	})
	t.links[id] = slices.CompactFunc(links, func(a, b link) bool { return a.to == b.to })
	return t.links[id]
}

// Has says whether the stems, joined with spaces, are an entry.
func (t *Thesaurus) Has(entry string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	id, ok := t.ids[entry]
	return ok && len(t.links[id]) > 0
}

// Related returns what may stand for an entry, over one relation or two, strongest first.
func (t *Thesaurus) Related(entry string) []Related {
	t.mu.Lock()
	defer t.mu.Unlock()
	if r, ok := t.cache[entry]; ok {
		return r
	}
	id, ok := t.ids[entry]
	if !ok {
		return nil
	}
	best := map[int32]float64{}
	for _, a := range t.linksOf(id) {
		best[a.to] = max(best[a.to], nearness[a.kind])
		for _, b := range t.linksOf(a.to) {
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
		out = append(out, Related{strings.Fields(t.names[to]), w})
	}
	slices.SortFunc(out, func(a, b Related) int {
		return cmp.Or(cmp.Compare(b.Weight, a.Weight), slices.Compare(a.Stems, b.Stems))
	})
	t.cache[entry] = out[:min(len(out), maxRelated)]
	return t.cache[entry]
}
