package retrieval

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Query is a question to the index.
type Query struct {
	Text  string
	Under string // only notes in this folder, or this note; "" for all
}

// within reports whether a note is in the folder of the query.
func (q Query) within(p string) bool {
	return q.Under == "" || p == q.Under || strings.HasPrefix(p, q.Under+"/")
}

// alternative is a word that satisfies a concept, by its stem.
type alternative struct {
	stem   string
	weight float64 // 1 for the word itself
	tells  float64 // how rare it is against the word itself, 0 to 1
}

// concept is a word of a question with its alternatives.
type concept struct {
	alternatives []alternative // the literal one first
	weight       float64       // how much the question leans on it
	rarity       float64       // how much it tells notes apart
	pair         bool          // a pair of Chinese, Japanese or Korean characters
	overlaps     bool          // the first one is the second one of the concept before
}

// analyse turns a question into concepts.
func (r *reader) analyse(text string) (out []concept) {
	all := Words(withoutQuestionWords(text))
	words := slices.DeleteFunc(slices.Clone(all), func(w string) bool { return stopWords()[w] && !softWords()[w] })
	if len(words) == 0 { // "the who", "it": better a poor question than none
		words = all
	}
	seen := map[string]bool{}
	for i, w := range words {
		if stem := Stem(w); !seen[stem] {
			seen[stem] = true
			out = append(out, r.concept(words, i))
		}
	}
	return out
}

// Weights of words that say little of what is asked, and what such words count for in the place
// of others. A small vault may have such a word once, which makes it no rarer in the language.
const (
	weakWeight    = 0.66
	commonWeight  = 0.4
	weakRelated   = 0.24
	commonRelated = 0.49
)

// concept returns the concept of the i-th word of a question.
func (r *reader) concept(words []string, i int) concept {
	word, stem := words[i], Stem(words[i])
	c := concept{weight: 1, alternatives: []alternative{{stem: stem, weight: 1}}}
	if r, n := utf8.DecodeRuneInString(word); isCJK(r) {
		c.weight, c.pair = pairWeight(word), true
		c.overlaps = i > 0 && len(words[i-1]) > n && strings.HasSuffix(words[i-1], word[:n])
		return c
	}
	if weakWords()[stem] {
		c.weight = weakWeight
	} else if commonWords()[stem] || softWords()[word] {
		c.weight = commonWeight
	}
	related := 1.0
	if r.frequency(stem) >= 3 {
		related = 0.8 // notes use the word itself
	}
	c.relate(r.thesaurus, stem, related)
	for k := max(i, 1); k < min(i+2, len(words)); k++ { // "woodburner" for "wood burner"
		c.add(Stem(words[k-1]+words[k]), 1)
	}
	if r.frequency(stem) == 0 && !r.thesaurus.Has(stem) {
		for _, s := range r.similar(stem) {
			c.add(s.stem, s.weight)
			c.relate(r.thesaurus, s.stem, s.weight)
		}
	}
	return c
}

// relate adds the words that are related to a stem.
func (c *concept) relate(t *Thesaurus, stem string, weight float64) {
	for _, r := range t.Related(stem) {
		c.add(r.Stem, r.Weight*weight)
	}
}

// add adds an alternative. A word that stands in many notes by chance counts less.
func (c *concept) add(stem string, weight float64) {
	for i, a := range c.alternatives {
		if a.stem == stem {
			c.alternatives[i].weight = max(a.weight, weight)
			return
		}
	}
	switch {
	case weakWords()[stem], stopStems()[stem]:
		weight *= weakRelated
	case commonWords()[stem]:
		weight *= commonRelated
	}
	c.alternatives = append(c.alternatives, alternative{stem: stem, weight: weight})
}

// stopWords are the words that questions and sentences are built with.
var stopWords = WordSet(words("stop"))

// softWords are stop words of talk about notes that may yet be what is asked for: "which files can I add".
var softWords = WordSet(words("soft"))

// weakWords carry little of a question's meaning although they are no stop words.
var weakWords = stemsOf(WordSet(words("weak")))

// commonWords are so frequent in any English text that sharing one says less than sharing another.
var commonWords = stemsOf(WordSet(words("common")))

// stopStems are the stems of stop words.
var stopStems = stemsOf(stopWords)

// WordSet is the set of the words of a list, made when it is first asked for: most processes answer no
// question.
func WordSet(list string) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool {
		m := map[string]bool{}
		for w := range strings.FieldsSeq(list) {
			m[w] = true
		}
		return m
	})
}

// stemsOf is the set of the stems of a set.
func stemsOf(set func() map[string]bool) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool {
		m := map[string]bool{}
		for w := range set() {
			m[Stem(w)] = true
		}
		return m
	})
}

// IsStopWord reports whether a lower-case word is a function word of questions.
func IsStopWord(w string) bool { return stopWords()[w] }

// ContentWords returns the words of s that are no stop words.
func ContentWords(s string) []string {
	return slices.DeleteFunc(Words(s), IsStopWord)
}

// KeyWords returns the content words of s without those that occur in most texts, if others remain.
func KeyWords(s string) []string {
	all := ContentWords(s)
	usual := func(w string) bool { return weakWords()[Stem(w)] || commonWords()[Stem(w)] }
	if out := slices.DeleteFunc(slices.Clone(all), usual); len(out) > 0 {
		return out
	}
	return all
}

// questionWords are the words of Chinese and Japanese that questions and sentences are built with.
var questionWords = sync.OnceValue(func() *strings.Replacer {
	list := strings.Fields(words("cjk"))
	slices.SortFunc(list, func(a, b string) int { return len(b) - len(a) })
	var pairs []string
	for _, w := range list {
		pairs = append(pairs, w, " ")
	}
	return strings.NewReplacer(pairs...)
})

// withoutQuestionWords drops the Chinese and Japanese question words of a question that has other words.
func withoutQuestionWords(s string) string {
	if out := questionWords().Replace(s); len(Words(out)) > 0 {
		return out
	}
	return s
}

// pairWeight is the weight of a pair of characters: next to nothing if it begins with hiragana, which
// write particles and endings.
func pairWeight(pair string) float64 {
	if r, _ := utf8.DecodeRuneInString(pair); unicode.Is(unicode.Hiragana, r) {
		return 0.2
	}
	return 0.7
}
