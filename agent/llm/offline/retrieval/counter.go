package retrieval

import (
	"bytes"
	"slices"
	"strings"

	"chatvault/internal/text"
)

// counter makes a segment that holds some terms only, as fast as texts can be gone through: few words
// get past the sieve, and those are known by a key of their letters, so that each is looked at once in
// all texts. Of a note that has none of the terms nothing is kept but its length.
type counter struct {
	segmentBuilder
	terms *wantedTerms
	keys  []uint64 // of words, by open addressing; 0: free
	ids   []uint32 // their terms
	known int
	name  []byte // scratch: of a note
	notes int
	bytes int64
}

// wantedTerms are the terms that are counted.
type wantedTerms struct {
	stems map[string]bool
	near  []string // stems that may be misspelt, or have others of the same root
	lost  map[string]bool
	sieve *sieve
}

// noTerm stands for a word that is not counted.
const noTerm = 1<<32 - 1

// newWantedTerms are some stems, the words of the same roots, and what those that may be lost are
// misspellings of, which begin with the same letter.
func newWantedTerms(stems, lost map[string]bool) *wantedTerms {
	w := &wantedTerms{stems: stems, lost: lost, sieve: &sieve{}}
	for s := range stems {
		w.sieve.add(s)
	}
	for s := range lost {
		if !slices.Contains(w.sieve.first, s[0]) {
			w.sieve.first = append(w.sieve.first, s[0])
		}
	}
	for form, base := range irregular() {
		if stems[Stem(base)] {
			w.sieve.add(form)
		}
	}
	return w
}

// holds says whether a stem is one of the terms.
func (w *wantedTerms) holds(stem string) bool {
	if w.stems[stem] {
		return true
	}
	for l := range w.lost {
		if l[0] == stem[0] && text.Distance(l, stem, TypoLimit(len(l))) <= TypoLimit(len(l)) {
			return true
		}
	}
	return slices.ContainsFunc(w.near, func(n string) bool { return kinship(n, stem) > 0 })
}

// isLetter says whether a byte belongs to a word; all beyond ASCII do.
func isLetter(b byte) bool { return b >= 0x80 || isASCIIWord(b) }

func newCounter(terms *wantedTerms) *counter {
	c := &counter{segmentBuilder: *newSegmentBuilder(), terms: terms, keys: make([]uint64, 1<<12), ids: make([]uint32, 1<<12)}
	c.seg.bare = true
	return c
}

// add counts what a note has of the terms.
func (c *counter) add(n Note, text []byte) {
	doc := document{note: n, length: uint32(len(text))}
	c.notes++
	c.bytes += int64(len(text))
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	if bytes.HasPrefix(text, []byte("---")) {
		if end := bytes.Index(text, []byte("\n---")); end > 0 {
			c.front(text[3:end])
			text = text[end+4:]
		}
	}
	text = bytes.TrimLeft(text, "\r\n")
	c.name = append(c.name[:0], n.Path...)
	folder := c.name[:len(folderOf(n.Path))]
	name := bytes.TrimLeft(c.name[len(folder):], "/")
	name = name[:len(Name(n.Path))]
	if bytes.HasPrefix(text, []byte("# ")) {
		head, rest, _ := bytes.Cut(text, []byte("\n"))
		if title := head[2:]; bytes.Equal(bytes.TrimSpace(title), name) {
			c.count(title, 1, 0)
		} else {
			c.count(title, 1, weightAlias)
		}
		text = rest
	}
	c.count(text, 1, 0)
	c.count(folder, 0, weightFolder)
	c.count(name, 0, weightTitle)
	if len(c.seen) > 0 {
		doc.meta.Dates = isoDates(Name(n.Path))
		c.flush(doc)
	}
}

// front counts what front matter has of the terms.
func (c *counter) front(text []byte) {
	for range c.terms.sieve.starts(text) {
		body, weight := uint32(1), uint32(weightProperty)
		for line := range bytes.Lines(text) {
			if key, value, ok := bytes.Cut(line, []byte(":")); ok && isASCIIWord(key[0]) {
				switch body, weight = 0, weightAlias; strings.ToLower(string(key)) {
				case "title", "alias", "aliases":
				case "tag", "tags":
					weight = weightTag
				default:
					body, weight = 1, weightProperty
					c.count(key, 1, 0)
				}
				line = value
			}
			c.count(line, body, weight)
		}
		return
	}
}

// count counts the words of a text: each counts body times as one of the note's text, where one in a
// heading has a weight of its own, and weight as one of a field.
func (c *counter) count(text []byte, body, weight uint32) {
	end, line, heading := 0, 0, len(text) > 0 && text[0] == '#'
	found := func(at int, key uint64, word []byte) {
		id := c.lookUp(key, word)
		if id == noTerm {
			return
		}
		if i := bytes.LastIndexByte(text[line:at], '\n'); i >= 0 {
			heading = text[line+i+1] == '#'
		}
		line = at
		k := &c.counts[id]
		if k.body == 0 && k.meta == 0 {
			c.seen = append(c.seen, id)
		}
		k.body += body
		if k.meta += weight; heading && body > 0 {
			k.meta += weightHeading
		}
	}
	for at := range c.terms.sieve.starts(text) {
		if at < end {
			continue // in a word that was looked at, after a letter beyond ASCII
		}
		if key, n := shortKey(text[at:]); n > 0 && (at == 0 || text[at-1] < 0x80) {
			end = at + n
			found(at, key, text[at:end])
			continue
		}
		start, accented := at, false
		for start > end && isLetter(text[start-1]) {
			start--
		}
		for end = start; end < len(text) && isLetter(text[end]); end++ {
			accented = accented || text[end] >= 0x80
		}
		if word := text[start:end]; accented {
			eachToken(word, func(tok []byte) { found(start, keyOf(tok), tok) })
		} else {
			found(start, keyOf(word), word)
		}
	}
}

// lookUp is the term of a word, by its key.
func (c *counter) lookUp(key uint64, word []byte) uint32 {
	at := c.slot(key)
	if c.keys[at] == key {
		return c.ids[at]
	}
	id := c.learn(word)
	if c.known++; 2*c.known > len(c.keys) {
		keys, ids := c.keys, c.ids
		c.keys, c.ids = make([]uint64, 4*len(keys)), make([]uint32, 4*len(ids))
		for i, k := range keys {
			if k != 0 {
				to := c.slot(k)
				c.keys[to], c.ids[to] = k, ids[i]
			}
		}
		at = c.slot(key)
	}
	c.keys[at], c.ids[at] = key, id
	return id
}

// slot is where a key is or belongs.
func (c *counter) slot(key uint64) uint64 {
	mask := uint64(len(c.keys) - 1)
	at := key * 0x9E3779B97F4A7C15 >> 40 & mask
	for c.keys[at] != key && c.keys[at] != 0 {
		at = (at + 1) & mask
	}
	return at
}

// learn is the term of a word that is met for the first time.
func (c *counter) learn(word []byte) uint32 {
	if len(word) == 0 || len(word) > maxToken {
		return noTerm
	}
	low := strings.ToLower(string(word))
	if !c.terms.holds(Stem(low)) {
		return noTerm
	}
	return c.term([]byte(low))
}
