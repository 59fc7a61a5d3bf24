package retrieval

import (
	"embed"
	"io/fs"
	"sort"
	"strings"
	"sync"
)

//go:embed thesaurus/*.txt
var thesaurusFiles embed.FS

// How much a related word counts for, against the word itself.
const (
	nearSynonym  = 0.57
	nearNarrower = 0.66
	nearBroader  = 0.5
	nearTwice    = 0.7  // further factor of a relation over another word
	nearFloor    = 0.19 // fainter relations are dropped
	maxRelated   = 120  // relations kept for a word
)

// relation is the way one entry stands for another.
type relation uint8

const (
	synonym  relation = iota // "sofa" for "couch"
	narrower                 // "peach" for "fruit"
	broader                  // "fruit" for "peach"
)

// nearness is how much a related word counts for, against the word itself.
func (r relation) nearness() float64 {
	switch r {
	case synonym:
		return nearSynonym
	case narrower:
		return nearNarrower
	default:
		return nearBroader
	}
}

// Related is a word or phrase that may stand for another.
type Related struct {
	Stems  []string // one for a word, several for a phrase
	Weight float64  // 0 to 1
}

// Thesaurus relates words by their stems. Entries are numbered in the order they are met.
type Thesaurus struct {
	names   []string         // of entries: stems joined with a space
	ids     map[string]int32 // by name
	links   []link           // of all entries, those of one together
	first   []int32          // where the links of an entry begin; one more than entries
	longest int              // words in the longest entry

	mu    sync.Mutex
	cache map[string][]Related
}

type link struct {
	to   int32
	kind relation
}

// linksOf returns the relations of an entry, each other entry once.
func (t *Thesaurus) linksOf(id int32) []link { return t.links[t.first[id]:t.first[id+1]] }

// DefaultThesaurus is the one that comes with the program, loaded once.
var DefaultThesaurus = sync.OnceValue(func() *Thesaurus {
	var text strings.Builder
	names, _ := fs.Glob(thesaurusFiles, "thesaurus/*.txt") // the pattern is right
	for _, name := range names {
		data, _ := thesaurusFiles.ReadFile(name) // it is in the program
		text.Write(data)
		text.WriteByte('\n')
	}
	return ParseThesaurus(text.String())
})

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
	var text strings.Builder
	names, _ := fs.Glob(thesaurusFiles, "thesaurus/*.txt") // the pattern is right
	for _, name := range names {
		data, _ := thesaurusFiles.ReadFile(name) // it is in the program
		for line := range strings.Lines(string(data)) {
			for _, b := range begins {
				if strings.Contains(line, b) {
					text.WriteString(line)
					break
				}
			}
		}
	}
	return ParseThesaurus(text.String())
}

// thesaurusReader collects the relations of a thesaurus as they are read.
type thesaurusReader struct {
	*Thesaurus
	written map[string]int32  // entries by how they are written
	stems   map[string]string // words by how they are written
	from    []int32           // of the relation in to at the same place
	to      []link
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
		from:      make([]int32, 0, len(text)/3),
		to:        make([]link, 0, len(text)/3),
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
	r.arrange()
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
		r.from = append(r.from, from)
		r.to = append(r.to, link{to, kind})
	}
}

// arrange puts the relations of each entry together, of several to the same entry the nearest.
func (r *thesaurusReader) arrange() {
	n := len(r.names)
	next := make([]int32, n+1)
	for _, f := range r.from {
		next[f+1]++
	}
	for i := range n {
		next[i+1] += next[i]
	}
	begins := append([]int32(nil), next...)
	all := make([]link, len(r.to))
	for i, f := range r.from {
		all[next[f]] = r.to[i]
		next[f]++
	}
	r.links, r.first = all[:0], make([]int32, n+1)
	at := make([]int32, n) // one more than the place of the link to an entry, in the links so far
	for i := range n {
		start := int32(len(r.links))
		r.first[i] = start
		for _, l := range all[begins[i]:begins[i+1]] { // never overtaken by what is written
			if k := at[l.to]; k > start {
				if l.kind.nearness() > r.links[k-1].kind.nearness() {
					r.links[k-1].kind = l.kind
				}
				continue
			}
			r.links = append(r.links, l)
			at[l.to] = int32(len(r.links))
		}
	}
	r.first[n] = int32(len(r.links))
}

// Has says whether the stems, joined with spaces, are an entry.
func (t *Thesaurus) Has(entry string) bool {
	id, ok := t.ids[entry]
	return ok && len(t.linksOf(id)) > 0
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
		best[a.to] = max(best[a.to], a.kind.nearness())
		for _, b := range t.linksOf(a.to) {
			// From a narrower word up and down again are siblings, not the same thing.
			if a.kind == broader && b.kind != synonym {
				continue
			}
			if w := a.kind.nearness() * b.kind.nearness() * nearTwice; w >= nearFloor && b.to != id {
				best[b.to] = max(best[b.to], w)
			}
		}
	}
	out := make([]Related, 0, len(best))
	for to, w := range best {
		out = append(out, Related{strings.Fields(t.names[to]), w})
	}
	sort.Slice(out, func(i, j int) bool {
		if out[i].Weight != out[j].Weight {
			return out[i].Weight > out[j].Weight
		}
		return strings.Join(out[i].Stems, " ") < strings.Join(out[j].Stems, " ")
	})
	if len(out) > maxRelated {
		out = out[:maxRelated]
	}
	t.cache[entry] = out
	return out
}
