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
	nearSynonym  = 0.62 // "sofa" for "couch"
	nearNarrower = 0.58 // "peach" for "fruit"
	nearBroader  = 0.36 // "fruit" for "peach"
	nearTwice    = 0.7  // further factor of a relation over another word
	nearFloor    = 0.24 // fainter relations are dropped
	maxRelated   = 120  // relations kept for a word
)

// Related is a word or phrase that may stand for another.
type Related struct {
	Stems  []string // one for a word, several for a phrase
	Weight float64  // 0 to 1
}

// Thesaurus relates words by their stems.
type Thesaurus struct {
	links   map[string][]link // by stems joined with a space
	longest int               // words in the longest entry
	mu      sync.Mutex
	cache   map[string][]Related
	// sections are the headings ("# --- money") an entry stands under
	sections map[string][]string
}

type link struct {
	to     string
	weight float64
}

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

// ParseThesaurus reads the format described at the top of thesaurus/general.txt.
func ParseThesaurus(text string) *Thesaurus {
	t := &Thesaurus{links: map[string][]link{}, cache: map[string][]Related{}, longest: 1, sections: map[string][]string{}}
	section := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if name, ok := strings.CutPrefix(line, "# --- "); ok {
			section = name
		}
		if line == "" || line[0] == '#' {
			continue
		}
		if broad, kinds, ok := strings.Cut(line, ">"); ok {
			for _, b := range t.entries(broad) {
				for _, k := range t.entries(kinds) {
					t.place(k, section)
					t.relate(b, k, nearNarrower)
					t.relate(k, b, nearBroader)
				}
			}
			continue
		}
		group := t.entries(line)
		for _, a := range group {
			t.place(a, section)
			for _, b := range group {
				t.relate(a, b, nearSynonym)
			}
		}
	}
	return t
}

func (t *Thesaurus) entries(list string) []string {
	var out []string
	for entry := range strings.SplitSeq(list, ",") {
		if words := stems(entry); len(words) > 0 {
			t.longest = max(t.longest, len(words))
			out = append(out, strings.Join(words, " "))
		}
	}
	return out
}

func stems(s string) []string {
	words := Words(s)
	for i, w := range words {
		words[i] = Stem(w)
	}
	return words
}

// place notes that an entry stands in a section; one whose name begins with "more" or
// "everyday" is no field of meaning.
func (t *Thesaurus) place(entry, section string) {
	if section != "" && !strings.HasPrefix(section, "more") && !strings.HasPrefix(section, "everyday") && !strings.HasPrefix(section, "doing") {
		t.sections[entry] = appendNew(t.sections[entry], section)
	}
}

func (t *Thesaurus) relate(from, to string, weight float64) {
	if from == to {
		return
	}
	for i, l := range t.links[from] {
		if l.to == to {
			t.links[from][i].weight = max(l.weight, weight)
			return
		}
	}
	t.links[from] = append(t.links[from], link{to, weight})
}

// Has says whether the stems, joined with spaces, are an entry.
func (t *Thesaurus) Has(entry string) bool { return len(t.links[entry]) > 0 }

// Related returns what may stand for an entry, over one relation or two, strongest first.
func (t *Thesaurus) Related(entry string) []Related {
	t.mu.Lock()
	defer t.mu.Unlock()
	if r, ok := t.cache[entry]; ok {
		return r
	}
	best := map[string]float64{}
	for _, a := range t.links[entry] {
		best[a.to] = max(best[a.to], a.weight)
		for _, b := range t.links[a.to] {
			// From a narrower word up and down again are siblings, not the same thing.
			if a.weight == nearBroader && b.weight != nearSynonym {
				continue
			}
			if w := a.weight * b.weight * nearTwice; w >= nearFloor && b.to != entry {
				best[b.to] = max(best[b.to], w)
			}
		}
	}
	out := make([]Related, 0, len(best))
	for to, w := range best {
		out = append(out, Related{strings.Fields(to), w})
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
