package complete

import (
	"math/bits"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Hit is a name that fits, with the places of the letters that were typed.
type Hit struct {
	Item
	At []int // runes of Composed(Text), ascending
}

// Ways in which a word that was typed may be in a name, from the best to the least. What lies
// between two of them is room for how far a match is scattered.
const (
	asWhole      = 1000 // the name itself
	asBeginning  = 800
	asWordStart  = 700
	asPart       = 560
	pathStart    = 460 // a word of its folders begins with it
	pathPart     = 400
	asLetters    = 300 // one after the other, with others between
	atBeginning  = 40  // given to letters of which the first begins the name
	shortestGain = 60  // at most taken for the length of a name
	apart        = 150 // taken where the words of a query stand apart
	maxWords     = 8   // of a query; what follows them is taken for one
)

type scored struct {
	item  int32
	score int32
}

// Match gives the names that fit what was typed, the best first, at most limit. Words of the query
// may stand in any order; each has to be in the name, letter by letter in order. Nothing typed is
// every name, in the order of the corpus.
func (c *Corpus) Match(query string, limit int) []Hit {
	if c == nil || limit <= 0 {
		return nil
	}
	words := wordsOf(query)
	if len(words.each) == 0 {
		out := make([]Hit, 0, min(limit, len(c.items)))
		for i := range c.items[:min(limit, len(c.items))] {
			out = append(out, Hit{Item: c.items[i]})
		}
		return out
	}
	best := make([]scored, 0, limit+1)
	for i := range c.items {
		score, ok := c.score(i, words)
		if !ok {
			continue
		}
		if len(best) == limit && best[limit-1].score >= score {
			continue
		}
		at, _ := slices.BinarySearchFunc(best, score, func(b scored, score int32) int {
			if b.score >= score { // an earlier one of the same worth stays ahead
				return -1
			}
			return 1
		})
		best = slices.Insert(best, at, scored{int32(i), score})
		best = best[:min(len(best), limit)]
	}
	out := make([]Hit, len(best))
	for n, b := range best {
		out[n] = Hit{c.items[b.item], c.places(int(b.item), words)}
	}
	return out
}

// words are those of a query, and the query as one piece.
type words struct {
	each  []string
	whole string
}

func wordsOf(query string) words {
	each := strings.Fields(fold(query))
	if len(each) > maxWords {
		each = append(each[:maxWords-1:maxWords-1], strings.Join(each[maxWords-1:], ""))
	}
	return words{each, strings.Join(each, " ")}
}

// in are the words to look for in a name: the whole query where it stands there in one piece.
func (w words) in(text string) []string {
	if len(w.each) > 1 && strings.Contains(text, w.whole) {
		return []string{w.whole}
	}
	return w.each
}

// score says how well a name fits; not ok: it does not.
func (c *Corpus) score(i int, w words) (score int32, ok bool) {
	text, name := c.folded[i], int(c.names[i])
	for _, each := range w.each {
		if !inOrder(text, each) { // most are told by this
			return 0, false
		}
	}
	sum, look := 0, w.in(text)
	for _, w := range look {
		worth, _, found := find(text, name, w)
		if !found {
			return 0, false
		}
		sum += worth
	}
	sum /= len(look)
	if len(look) > 1 {
		sum -= apart
	}
	sum -= min(len(text)-name, shortestGain/2) + min(name, shortestGain/2)
	// Among likes the one that stands ahead: recent files, common tags.
	sum += max(0, 32-2*bits.Len(uint(i)))
	return int32(sum - c.items[i].Less), true
}

// inOrder says whether the bytes of a word stand in a text one after the other.
func inOrder(text, word string) bool {
	for i := range len(word) {
		at := strings.IndexByte(text, word[i])
		if at < 0 {
			return false
		}
		text = text[at+1:]
	}
	return true
}

// place is where a word stands in a name: from and to as one piece, or letter by letter.
type place struct{ from, to int }

// find looks for a word in a name: what it is worth there, and where it stands. to < 0: its letters
// stand apart, from the last place on at which they begin.
func find(text string, name int, word string) (worth int, at place, ok bool) {
	base := text[name:]
	if whole := strings.TrimSuffix(base, "/"); whole == word || strings.TrimSuffix(whole, path.Ext(whole)) == word {
		return asWhole, place{name, name + len(word)}, true
	}
	if i, start := occurrence(base, word); i >= 0 {
		switch {
		case i == 0:
			worth = asBeginning
		case start:
			worth = asWordStart - min(i, 40)
		default:
			worth = asPart - min(i, 40)
		}
		return worth, place{name + i, name + i + len(word)}, true
	}
	if i, start := occurrence(text, word); i >= 0 {
		if worth = pathPart; start {
			worth = pathStart
		}
		return worth, place{i, i + len(word)}, true
	}
	if start, gaps, starts, ok := letters(base, word); ok {
		worth = asLetters + 12*starts - 3*gaps
		if start == 0 {
			worth += atBeginning
		}
		return worth, place{name + start, -1}, true
	}
	start, gaps, starts, ok := letters(text, word)
	return asLetters - 80 + 12*starts - 3*gaps, place{start, -1}, ok
}

// occurrence is where a word stands in a text as one piece: at the start of a word, else where it does
// first; -1: nowhere.
func occurrence(text, word string) (at int, start bool) {
	at = -1
	for from := 0; ; {
		i := strings.Index(text[from:], word)
		if i < 0 {
			return at, false
		}
		if i += from; wordStart(text, i) {
			return i, true
		}
		if at < 0 {
			at = i
		}
		_, n := utf8.DecodeRuneInString(text[i:])
		from = i + n
	}
}

// letters looks for the letters of a word one after the other: from where they stand closest, how
// many others are between them, and how many of them begin a word. What is too scattered is none.
func letters(text, word string) (start, gaps, starts int, ok bool) {
	end := 0
	for _, r := range word { // forwards to the first end there is
		i := strings.IndexRune(text[end:], r)
		if i < 0 {
			return 0, 0, 0, false
		}
		end += i + utf8.RuneLen(r)
	}
	start = end
	for rest := word; rest != ""; { // and back from there, which is closest
		r, n := utf8.DecodeLastRuneInString(rest)
		rest = rest[:len(rest)-n]
		start = strings.LastIndex(text[:start], string(r))
	}
	at := start
	for _, r := range word {
		i := strings.IndexRune(text[at:], r)
		gaps += i
		at += i
		if wordStart(text, at) {
			starts++
		}
		at += utf8.RuneLen(r)
	}
	near := gaps <= 2*len(word)+2 || gaps <= 6*len(word)+6 && starts*2 >= utf8.RuneCountInString(word)
	return start, gaps, starts, near
}

// wordStart says whether a word begins at a place.
func wordStart(text string, at int) bool {
	if at == 0 {
		return true
	}
	r, _ := utf8.DecodeLastRuneInString(text[:at])
	return !unicode.IsLetter(r) && !unicode.IsNumber(r)
}

// places are the runes of a name that were typed.
func (c *Corpus) places(i int, w words) []int {
	text := c.folded[i]
	typed := map[int]bool{} // by byte
	for _, w := range w.in(text) {
		_, p, ok := find(text, int(c.names[i]), w)
		if !ok {
			continue
		}
		if p.to >= 0 {
			for at := p.from; at < p.to; at++ {
				typed[at] = true
			}
			continue
		}
		at := p.from
		for _, r := range w {
			at += strings.IndexRune(text[at:], r)
			typed[at] = true
			at += utf8.RuneLen(r)
		}
	}
	var out []int
	n := 0
	for at := range text {
		if typed[at] {
			out = append(out, n)
		}
		n++
	}
	return out
}

// Item is a name that can be offered.
type Item struct {
	Text   string // what is shown and matched: a path, an alias, a tag, a command
	Insert string // what takes the place of what was typed; the caller's business
	Detail string // shown beside it
	Size   int64  // in bytes, of a file; -1: of no interest
	Less   int    // how much less likely it is meant than its like
}

// Corpus is names made ready to be gone through. It does not change, and may be used by several
// goroutines.
type Corpus struct {
	items  []Item
	folded []string // by item: as letters are compared
	names  []int32  // by item: where in folded the name proper begins, behind its folders
}

// NewCorpus makes names ready; those that are likelier meant stand first.
func NewCorpus(items []Item) *Corpus {
	c := &Corpus{items: items, folded: make([]string, len(items)), names: make([]int32, len(items))}
	for i := range items {
		f := fold(items[i].Text)
		c.folded[i] = f
		c.names[i] = int32(strings.LastIndexByte(strings.TrimSuffix(f, "/"), '/') + 1)
	}
	return c
}

// fold is a text as letters are compared: without case and accents. It has as many runes as the
// text's composed form.
func fold(s string) string {
	ascii, lower := true, true
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			ascii = false
			break
		}
		lower = lower && (s[i] < 'A' || s[i] > 'Z')
	}
	switch {
	case ascii && lower:
		return s
	case ascii:
		return strings.ToLower(s)
	}
	return strings.Map(foldRune, Composed(s))
}

// Composed is a text in the form that Hit.At counts the runes of.
func Composed(s string) string { return norm.NFC.String(s) }

func foldRune(r rune) rune {
	if r < utf8.RuneSelf {
		return unicode.ToLower(r)
	}
	var buf [utf8.UTFMax]byte
	apart := norm.NFD.Properties(buf[:utf8.EncodeRune(buf[:], r)]).Decomposition()
	if base, n := utf8.DecodeRune(apart); n > 0 && n < len(apart) && unicode.IsLetter(base) {
		if mark, _ := utf8.DecodeRune(apart[n:]); unicode.Is(unicode.Mn, mark) {
			r = base
		}
	}
	return unicode.ToLower(r)
}
