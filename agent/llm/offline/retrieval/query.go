package retrieval

import (
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"
)

// Query is a question to the index.
type Query struct {
	Text string
	// From and To bound the time the question speaks of ("in March"); zero where it does not.
	// Notes of that time are preferred, others are not excluded.
	From, To time.Time
	Under    string // only notes in this folder, or this note; "" for all
}

// within says whether a note is one of those that are asked for.
func (q Query) within(p string) bool {
	return q.Under == "" || p == q.Under || strings.HasPrefix(p, q.Under+"/")
}

// alternative is a word that satisfies a concept, by its stem.
type alternative struct {
	stem   string
	weight float64 // 1 for the word itself
	tells  float64 // how rare it is against the word itself, 0 to 1
}

// concept is a word that the question asks for, with everything that may stand for it.
type concept struct {
	alternatives []alternative // the literal one first
	weight       float64       // how much the question leans on it
	pair         bool          // a pair of Chinese, Japanese or Korean characters
	overlaps     bool          // the first one is the second one of the concept before
}

// vocabulary is what query analysis asks of the index.
type vocabulary interface {
	frequency(stem string) int         // documents with the stem
	similar(stem string) []alternative // spellings close to a stem that no document has
}

type token struct{ word, stem string }

// analyse turns a question into concepts.
func analyse(text string, t *Thesaurus, v vocabulary) []concept {
	var all, tokens []token
	for _, w := range Words(withoutQuestionWords(text)) {
		tok := token{w, Stem(w)}
		all = append(all, tok)
		if !stopWords()[w] || softWords()[w] {
			tokens = append(tokens, tok)
		}
	}
	if len(tokens) == 0 { // "the who", "it": better a poor question than none
		tokens = all
	}
	var out []concept
	seen := map[string]bool{}
	for i, tok := range tokens {
		if !seen[tok.stem] {
			seen[tok.stem] = true
			out = append(out, newConcept(tokens, i, t, v))
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

// relatedShare is what related words count for if notes use the word itself.
const relatedShare = 0.8

// newConcept returns the concept of the i-th word of a question.
func newConcept(tokens []token, i int, t *Thesaurus, v vocabulary) concept {
	tok := tokens[i]
	c := concept{weight: 1, alternatives: []alternative{{stem: tok.stem, weight: 1}}}
	if r, n := utf8.DecodeRuneInString(tok.word); isCJK(r) {
		c.weight, c.pair = pairWeight(tok.word), true
		c.overlaps = i > 0 && len(tokens[i-1].word) > n && strings.HasSuffix(tokens[i-1].word, tok.word[:n])
		return c
	}
	if weakWords()[tok.stem] {
		c.weight = weakWeight
	} else if commonWords()[tok.stem] || softWords()[tok.word] {
		c.weight = commonWeight
	}
	related := 1.0
	if v.frequency(tok.stem) >= 3 {
		related = relatedShare
	}
	c.relate(t, tok.stem, related)
	for k := max(i, 1); k < min(i+2, len(tokens)); k++ { // "woodburner" for "wood burner"
		c.add(Stem(tokens[k-1].word+tokens[k].word), 1)
	}
	if v.frequency(tok.stem) == 0 && !t.Has(tok.stem) {
		for _, s := range v.similar(tok.stem) {
			c.add(s.stem, s.weight)
			c.relate(t, s.stem, s.weight)
		}
	}
	return c
}

// relate adds the words that are related to a stem.
func (c *concept) relate(t *Thesaurus, stem string, weight float64) {
	for _, r := range t.Related(stem) {
		c.add(r.Stems[0], r.Weight*weight)
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

// IsStopWord says whether a lower-case word is one that questions are built with.
func IsStopWord(w string) bool { return stopWords()[w] }

// ContentWords returns the words of s that are no stop words.
func ContentWords(s string) []string {
	return slices.DeleteFunc(Words(s), IsStopWord)
}

// KeyWords are the content words of s that say what it is about: those that are not in any text,
// where there are others.
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

// pairWeight is the weight of a pair of characters: next to nothing where both are hiragana, which
// write particles and endings, nor across the end of a word that ends in them.
func pairWeight(pair string) float64 {
	a, n := utf8.DecodeRuneInString(pair)
	b, _ := utf8.DecodeRuneInString(pair[n:])
	switch left, right := unicode.Is(unicode.Hiragana, a), unicode.Is(unicode.Hiragana, b); {
	case left && right:
		return 0.2
	case left:
		return 0.1
	case right:
		return 0.4
	}
	return 0.7
}
