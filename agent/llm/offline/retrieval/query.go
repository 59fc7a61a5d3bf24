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

// alternative is a word or phrase that satisfies a concept.
type alternative struct {
	stems  []string
	weight float64  // 1 for the word itself
	rare   []string // the stems that tell notes apart: of a phrase, those of stop words do not
	tells  float64  // how rare they are against the word itself, 0 to 1
}

// concept is one thing the question asks for: a word, or a phrase the thesaurus knows,
// with everything that may stand for it.
type concept struct {
	alternatives []alternative // the literal one first
	weight       float64       // how much the question leans on it
	pair         bool          // a pair of Chinese, Japanese or Korean characters
	overlaps     bool          // the first one is the second one of the concept before
}

// hint says whether a passage has what the question asks for: of "when …" a date or time, of "how much …"
// a figure; nil where nothing tells.
type hint func(passage string) bool

// vocabulary is what query analysis asks of the index.
type vocabulary interface {
	frequency(stem string) int         // documents with the stem
	similar(stem string) []alternative // spellings close to a stem that no document has
}

type token struct {
	word, stem string
	stop       bool
}

// analyse turns a question into concepts.
func analyse(text string, t *Thesaurus, v vocabulary) ([]concept, hint) {
	var tokens []token
	for _, w := range Words(withoutQuestionWords(text)) {
		tokens = append(tokens, token{w, Stem(w), stopWords()[w] && !softWords()[w]})
	}
	if !slices.ContainsFunc(tokens, func(t token) bool { return !t.stop }) { // "the who", "it": better a poor question than none
		for i := range tokens {
			tokens[i].stop = false
		}
	}
	var out []concept
	for i := 0; i < len(tokens); {
		if n := longestEntry(tokens[i:], t); n > 1 {
			out = append(out, phraseConcept(tokens[i:i+n], t))
			i += n
			continue
		}
		if !tokens[i].stop {
			out = append(out, wordConcept(tokens, i, t, v))
		}
		i++
	}
	return mergeConcepts(out), hintOf(text)
}

// longestEntry returns how many of the leading tokens make a phrase of the thesaurus; the
// phrase must hold at least two words that are no stop words, or be all there is.
func longestEntry(tokens []token, t *Thesaurus) int {
	if len(tokens) == 0 || tokens[0].stop {
		return 0
	}
	var b strings.Builder
	best := 0
	for n := 1; n <= t.longest && n <= len(tokens); n++ {
		if n > 1 {
			b.WriteByte(' ')
		}
		b.WriteString(tokens[n-1].stem)
		if n > 1 && t.Has(b.String()) {
			best = n
		}
	}
	return best
}

// Weights of words that say little of what is asked, and what such words count for in the place
// of others. A small vault may have such a word once, which makes it no rarer in the language.
const (
	weakWeight    = 0.66
	commonWeight  = 0.4
	weakRelated   = 0.24
	commonRelated = 0.49
)

// singleOfPhrase is the weight of a single word of a phrase that stands for the phrase.
const singleOfPhrase = 0.4

// phraseConcept makes a concept of a phrase: the phrase, what may stand for it, and,
// fainter, its single words.
func phraseConcept(tokens []token, t *Thesaurus) concept {
	var words, phrase []string
	for _, tok := range tokens {
		words = append(words, tok.word)
		phrase = append(phrase, tok.stem)
	}
	c := concept{weight: 1.25}
	c.add(phrase, 1.15)
	c.add([]string{Stem(strings.Join(words, ""))}, 1.1) // "woodburner" for "wood burner"
	for _, r := range t.Related(strings.Join(phrase, " ")) {
		c.add(r.Stems, r.Weight*1.1)
	}
	for _, tok := range tokens {
		if !tok.stop && !weakWords()[tok.stem] {
			c.add([]string{tok.stem}, singleOfPhrase)
		}
	}
	return c
}

func wordConcept(tokens []token, i int, t *Thesaurus, v vocabulary) concept {
	tok := tokens[i]
	c := concept{weight: 1}
	if r, n := utf8.DecodeRuneInString(tok.word); isCJK(r) {
		c.weight, c.pair = pairWeight(tok.word), true
		c.overlaps = i > 0 && len(tokens[i-1].word) > n && strings.HasSuffix(tokens[i-1].word, tok.word[:n])
		c.add([]string{tok.stem}, 1)
		return c
	}
	if weakWords()[tok.stem] {
		c.weight = weakWeight
	} else if commonWords()[tok.stem] || softWords()[tok.word] {
		c.weight = commonWeight
	}
	c.add([]string{tok.stem}, 1)
	related := 1.0
	if v.frequency(tok.stem) >= 3 { // notes use the word itself
		related = 0.8
	}
	for _, r := range t.Related(tok.stem) {
		c.add(r.Stems, r.Weight*related)
	}
	for _, k := range []int{i, i - 1} { // "wood burner" for "woodburner" and the other way round
		if k < 0 || k+1 == len(tokens) || tokens[k].stop || tokens[k+1].stop {
			continue
		}
		if joined := Stem(tokens[k].word + tokens[k+1].word); v.frequency(joined) > 0 {
			c.add([]string{joined}, 1)
		}
	}
	if v.frequency(tok.stem) > 0 {
		return c
	}
	for k := 3; k+3 <= len(tok.word); k++ {
		a, b := Stem(tok.word[:k]), Stem(tok.word[k:])
		if !stopStems()[a] && !stopStems()[b] && v.frequency(a) > 0 && v.frequency(b) > 0 {
			c.add([]string{a, b}, 0.95)
		}
	}
	if t.Has(tok.stem) {
		return c
	}
	for _, s := range v.similar(tok.stem) {
		c.add(s.stems, s.weight)
		if len(s.stems) == 1 {
			for _, r := range t.Related(s.stems[0]) {
				c.add(r.Stems, r.Weight*s.weight)
			}
		}
	}
	return c
}

func (c *concept) add(stems []string, weight float64) {
	for i, a := range c.alternatives {
		if slices.Equal(a.stems, stems) {
			c.alternatives[i].weight = max(a.weight, weight)
			return
		}
	}
	rare := stems
	if len(c.alternatives) > 0 {
		if len(stems) == 1 {
			weight *= chance(stems[0])
		} else {
			rare = slices.DeleteFunc(slices.Clone(stems), func(s string) bool { return stopStems()[s] })
			if len(rare) < 2 {
				rare = nil
			}
		}
	}
	c.alternatives = append(c.alternatives, alternative{stems: stems, weight: weight, rare: rare})
}

// chance is what is left of the weight of a related word that stands in many notes by chance.
func chance(stem string) float64 {
	switch {
	case weakWords()[stem], stopStems()[stem]:
		return weakRelated
	case commonWords()[stem]:
		return commonRelated
	}
	return 1
}

// mergeConcepts drops repeated words.
func mergeConcepts(in []concept) []concept {
	seen := map[string]bool{}
	var out []concept
	for _, c := range in {
		key := strings.Join(c.alternatives[0].stems, " ")
		if !seen[key] {
			seen[key] = true
			out = append(out, c)
		}
	}
	return out
}

// hintOf reads the question words.
func hintOf(text string) hint {
	words := append(Words(text), "")
	for i, w := range words[:len(words)-1] {
		switch next := words[i+1]; {
		case w == "when", (w == "what" || w == "which") && dateNouns()[next]:
			return hasDate
		case w == "how" && amounts()[next], numberNouns()[w]:
			return hasFigure
		}
	}
	return nil
}

var (
	dateNouns   = WordSet("date day time year month")
	amounts     = WordSet("much many long far often hot big old tall high")
	numberNouns = WordSet("cost costs price phone number amount angle temperature")
)

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
