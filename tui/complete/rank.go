package complete

import (
	"cmp"
	"math/bits"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/sahilm/fuzzy"
	"golang.org/x/text/unicode/norm"

	"chatvault/internal/base/text"
)

// Hit is a matching name with the positions of the typed letters.
type Hit struct {
	Item
	At []int // ascending rune indexes in Composed(Text)
}

// Scores for the position of a typed word in a name, best first.
const (
	asWhole     = 1000 // the complete name
	asBeginning = 800
	asWordStart = 700
	asPart      = 560
	pathStart   = 460 // a word of its folders starts with it
	pathPart    = 400
	asLetters   = 300 // scattered letters
	atBeginning = 40  // bonus for scattered letters that start the name
	apart       = 150 // penalty if the words of a query are not adjacent
)

// Match returns at most limit names that match a query, best first. The words of the query may be in any order, but
// each must be in the name, at least as scattered letters. An empty query matches every name, in the order of the
// corpus.
func (c *Corpus) Match(query string, limit int) []Hit {
	if c == nil {
		return nil
	}
	type scored struct{ item, score int }
	var found []scored
	words := strings.Fields(fold(query))
	for i := range c.items {
		if score, ok := c.find(i, words); ok {
			found = append(found, scored{i, score})
		}
	}
	slices.SortFunc(found, func(a, b scored) int { return cmp.Or(b.score-a.score, a.item-b.item) })
	out := make([]Hit, min(len(found), limit))
	for n := range out {
		i := found[n].item
		out[n] = Hit{c.items[i], marks(c.folded[i], int(c.names[i]), words)}
	}
	return out
}

// find scores a name. It is not ok if a word is missing.
func (c *Corpus) find(i int, words []string) (score int, ok bool) {
	if len(words) == 0 {
		return 0, true
	}
	text, name := c.folded[i], int(c.names[i])
	if whole := strings.Join(words, " "); len(words) > 1 && strings.Contains(text, whole) {
		words = []string{whole}
	}
	for _, w := range words {
		for rest, n := text, 0; n < len(w); n++ { // fast rejection of most names
			at := strings.IndexByte(rest, w[n])
			if at < 0 {
				return 0, false
			}
			rest = rest[at+1:]
		}
		worth := place(text, name, w)
		if worth == 0 {
			return 0, false
		}
		score += worth
	}
	if score /= len(words); len(words) > 1 {
		score -= apart
	}
	score -= min(len(text)-name, 30) + min(name, 30)
	// Ties go to the earlier name: recent files, common tags.
	return score + max(0, 32-2*bits.Len(uint(i))) - c.items[i].Less, true
}

// marks returns the indexes of the runes of a text that match the words, preferably after name.
func marks(text string, name int, words []string) (out []int) {
	typed := map[int]bool{} // byte offsets
	for _, w := range words {
		at := strings.Index(text, w)
		if in := strings.Index(text[name:], w); in >= 0 {
			at = name + in
		}
		if at >= 0 {
			for n := range len(w) {
				typed[at+n] = true
			}
		} else if m := fuzzy.FindNoSort(w, []string{text}); len(m) > 0 {
			for _, at := range m[0].MatchedIndexes {
				typed[at] = true
			}
		}
	}
	n := 0
	for at := range text {
		if typed[at] {
			out = append(out, n)
		}
		n++
	}
	return out
}

// place scores the place of a word in a text whose last part starts at name; 0 if it is missing.
func place(text string, name int, word string) int {
	base := text[name:]
	if whole := strings.TrimSuffix(base, "/"); whole == word || strings.TrimSuffix(whole, path.Ext(whole)) == word {
		return asWhole
	}
	switch i, start := occurrence(base, word); {
	case i == 0:
		return asBeginning
	case i > 0 && start:
		return asWordStart - min(i, 40)
	case i > 0:
		return asPart - min(i, 40)
	}
	switch i, start := occurrence(text, word); {
	case i >= 0 && start:
		return pathStart
	case i >= 0:
		return pathPart
	}
	m := fuzzy.FindNoSort(word, []string{text})
	if len(m) == 0 {
		return 0
	}
	letters := m[0].MatchedIndexes
	first, last := letters[0], letters[len(letters)-1]
	if last-first > 3*len(word)+6 { // too scattered
		return 0
	}
	worth := asLetters + max(min(m[0].Score, 80), -80)
	if first == name {
		worth += atBeginning
	}
	return worth
}

// occurrence returns the index of a word in a text, preferably where a word starts, or -1.
func occurrence(text, word string) (at int, start bool) {
	at = strings.Index(text, word)
	for i := at; i >= 0; {
		r, _ := utf8.DecodeLastRuneInString(text[:i])
		if i == 0 || !unicode.IsLetter(r) && !unicode.IsNumber(r) {
			return i, true
		}
		next := strings.Index(text[i+1:], word)
		if next < 0 {
			break
		}
		i += 1 + next
	}
	return at, false
}

// Item is a candidate.
type Item struct {
	Text   string // shown and matched: a path, an alias, a tag, a command
	Insert string // replaces the typed text
	Detail string // shown next to it
	Size   int64  // of a file, in bytes; -1 to hide it
	Less   int    // penalty relative to other candidates
}

// Corpus is an immutable set of candidates prepared for matching. It is safe for concurrent use.
type Corpus struct {
	items  []Item
	folded []string // text by item, folded for comparison
	names  []int32  // offset in folded at which the name without its folders starts
}

// NewCorpus prepares items, which should be sorted by likelihood.
func NewCorpus(items []Item) *Corpus {
	c := &Corpus{items: items, folded: make([]string, len(items)), names: make([]int32, len(items))}
	for i := range items {
		f := fold(items[i].Text)
		c.folded[i] = f
		c.names[i] = int32(strings.LastIndexByte(strings.TrimSuffix(f, "/"), '/') + 1)
	}
	return c
}

// fold returns text without case and accents. It has as many runes as Composed(s).
func fold(s string) string { return strings.Map(foldRune, Composed(s)) }

// Composed returns text in the form to which Hit.At refers.
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
	return unicode.ToLower(text.UsualWidth(r))
}
