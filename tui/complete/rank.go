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
		if score, _, ok := c.find(i, words, false); ok {
			found = append(found, scored{i, score})
		}
	}
	slices.SortFunc(found, func(a, b scored) int { return cmp.Or(b.score-a.score, a.item-b.item) })
	out := make([]Hit, min(len(found), limit))
	for n := range out {
		_, at, _ := c.find(found[n].item, words, true)
		out[n] = Hit{c.items[found[n].item], at}
	}
	return out
}

// find scores a name, and returns the matched runes if places is set. It is not ok if a word is missing.
func (c *Corpus) find(i int, words []string, places bool) (score int, at []int, ok bool) {
	if len(words) == 0 {
		return 0, nil, true
	}
	text, name := c.folded[i], int(c.names[i])
	if whole := strings.Join(words, " "); len(words) > 1 && strings.Contains(text, whole) {
		words = []string{whole}
	}
	typed := map[int]bool{} // byte offsets
	for _, w := range words {
		for rest, n := text, 0; n < len(w); n++ { // fast rejection of most names
			at := strings.IndexByte(rest, w[n])
			if at < 0 {
				return 0, nil, false
			}
			rest = rest[at+1:]
		}
		worth, from, letters := place(text, name, w)
		if worth == 0 {
			return 0, nil, false
		}
		score += worth
		for n := range len(w) {
			if !places {
				break
			}
			if letters == nil {
				typed[from+n] = true
			} else if n < len(letters) {
				typed[letters[n]] = true
			}
		}
	}
	if score /= len(words); len(words) > 1 {
		score -= apart
	}
	score -= min(len(text)-name, 30) + min(name, 30)
	// Ties go to the earlier name: recent files, common tags.
	score += max(0, 32-2*bits.Len(uint(i))) - c.items[i].Less
	if places {
		at = runesAt(text, typed)
	}
	return score, at, true
}

// runesAt returns the indexes of the runes that start at the given bytes.
func runesAt(text string, bytes map[int]bool) (out []int) {
	n := 0
	for at := range text {
		if bytes[at] {
			out = append(out, n)
		}
		n++
	}
	return out
}

// place finds a word in a text whose last part starts at name. It returns a score, 0 if it is missing, and its byte
// offset, or the offsets of its letters if they are scattered.
func place(text string, name int, word string) (worth, from int, letters []int) {
	base := text[name:]
	if whole := strings.TrimSuffix(base, "/"); whole == word || strings.TrimSuffix(whole, path.Ext(whole)) == word {
		return asWhole, name, nil
	}
	if i, start := occurrence(base, word); i == 0 {
		return asBeginning, name, nil
	} else if i > 0 && start {
		return asWordStart - min(i, 40), name + i, nil
	} else if i > 0 {
		return asPart - min(i, 40), name + i, nil
	}
	if i, start := occurrence(text, word); i >= 0 && start {
		return pathStart, i, nil
	} else if i >= 0 {
		return pathPart, i, nil
	}
	m := fuzzy.FindNoSort(word, []string{text})
	if len(m) == 0 {
		return 0, 0, nil
	}
	letters = m[0].MatchedIndexes
	first, last := letters[0], letters[len(letters)-1]
	if last-first > 3*len(word)+6 { // too scattered
		return 0, 0, nil
	}
	if first == name {
		worth = atBeginning
	}
	return worth + asLetters + max(min(m[0].Score, 80), -80), 0, letters
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
