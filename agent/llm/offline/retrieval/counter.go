package retrieval

import (
	"chatvault/internal/base/text"
	"chatvault/vault/block"
)

// counter makes documents for some terms only, at the speed of reading: few words pass the prefilter. Of a note without
// the terms it keeps only the length.
type counter struct {
	builder
	prefilter *prefilter
	docs      []*document
	word      []byte // scratch: in lower case
	notes     int
	bytes     int64
}

// wantedTerms are the terms that are counted.
type wantedTerms struct {
	stems     map[string]bool
	lost      map[string]bool
	prefilter *prefilter
}

// newWantedTerms returns a set of stems, including the candidates for misspelt words, which share the first letter.
func newWantedTerms(stems, lost map[string]bool) *wantedTerms {
	w := &wantedTerms{stems: stems, lost: lost, prefilter: &prefilter{}}
	for s := range lost {
		w.prefilter.addNear(s)
	}
	w.prefilter.addForms(stems)
	return w
}

// holds reports whether the set contains a stem.
func (w *wantedTerms) holds(stem string) bool {
	if w.stems[stem] {
		return true
	}
	for l := range w.lost {
		if l[0] == stem[0] && text.Distance(l, stem, typoLimit(len(l))) <= typoLimit(len(l)) {
			return true
		}
	}
	return false
}

// isLetter reports whether a byte can be part of a word. All bytes outside ASCII can.
func isLetter(b byte) bool { return b >= 0x80 || isASCIIWord(b) }

func newCounter(terms *lexicon, wanted *wantedTerms) *counter {
	c := &counter{builder: *newBuilder(terms), prefilter: wanted.prefilter}
	c.wanted = wanted.holds
	return c
}

// add counts what a note has of the terms.
func (c *counter) add(n Note, text []byte) {
	c.notes++
	c.bytes += int64(len(text))
	length := uint32(len(text))
	start, end, body := block.FrontMatter(text)
	c.count(text[start:end], 1, weightTag) // for any property; the best notes are read again
	c.count(text[body:], 1, 0)
	c.count([]byte(folderOf(n.Path)), 0, weightFolder)
	c.count([]byte(Name(n.Path)), 0, weightTitle)
	if len(c.seen) > 0 {
		c.docs = append(c.docs, &document{Entry: Entry{Note: n}, length: length, bare: true, postings: c.flush()})
	}
}

// count counts the words of a text, each body times as one of the note's text, and with a weight as one
// of another field.
func (c *counter) count(text []byte, body, weight uint32) {
	start, end := 0, 0
	take := func(tok []byte) { c.builder.add(tok, body, weight) }
	for at := range c.prefilter.starts(text) {
		if at < end {
			continue // in a word that was looked at, after a letter beyond ASCII
		}
		for start = at; start > end && isLetter(text[start-1]); {
			start--
		}
		c.word = c.word[:0]
		all := byte(0)
		for end = start; end < len(text) && isLetter(text[end]); end++ {
			c.word = append(c.word, text[end]|0x20)
			all |= text[end]
		}
		if all < 0x80 && len(c.word) <= maxToken {
			take(c.word)
		} else {
			eachToken(text[start:end], take)
		}
	}
}
