package retrieval

import (
	"bytes"
	"slices"

	"chatvault/internal/text"
	"chatvault/vault/block"
)

// counter makes a segment that holds some terms only, as fast as texts can be gone through: few words
// get past the prefilter. Of a note that has none of the terms nothing is kept but its length.
type counter struct {
	segmentBuilder
	terms *wantedTerms
	name  []byte // scratch: of a note
	word  []byte // scratch: in lower case
	notes int
	bytes int64
}

// wantedTerms are the terms that are counted.
type wantedTerms struct {
	stems     map[string]bool
	near      []string // stems that may be misspelt, or have others of the same root
	lost      map[string]bool
	prefilter *prefilter
}

// newWantedTerms are some stems, the words of the same roots, and what those that may be lost are
// misspellings of, which begin with the same letter.
func newWantedTerms(stems, lost map[string]bool, near []string) *wantedTerms {
	w := &wantedTerms{stems: stems, lost: lost, near: near, prefilter: &prefilter{}}
	for s := range lost {
		w.prefilter.addNear(s)
	}
	w.prefilter.addForms(stems)
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
	return slices.ContainsFunc(w.near, func(n string) bool { return rootWeight(n, stem) > 0 })
}

// IsLetter says whether a byte belongs to a word; all beyond ASCII do.
func IsLetter(b byte) bool { return b >= 0x80 || isASCIIWord(b) }

func newCounter(terms *wantedTerms) *counter {
	c := &counter{segmentBuilder: *newSegmentBuilder(), terms: terms}
	c.seg.bare, c.wanted = true, terms.holds
	return c
}

// add counts what a note has of the terms.
func (c *counter) add(n Note, text []byte) {
	doc := document{Entry: Entry{Note: n}, length: uint32(len(text))}
	c.notes++
	c.bytes += int64(len(text))
	start, end, body := block.FrontMatter(text)
	c.count(text[start:end], 1, weightTag) // by whichever property: the best notes are read again
	text = bytes.TrimLeft(text[body:], "\r\n")
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
		doc.Dates = isoDates(Name(n.Path))
		c.flush(doc)
	}
}

// count counts the words of a text: each counts body times as one of the note's text, where one in a
// heading has a weight of its own, and weight as one of a field.
func (c *counter) count(text []byte, body, weight uint32) {
	line, heading := 0, len(text) > 0 && text[0] == '#'
	start, end := 0, 0
	take := func(tok []byte) {
		id := c.term(tok)
		if id == noTerm {
			return
		}
		if i := bytes.LastIndexByte(text[line:start], '\n'); i >= 0 {
			heading = text[line+i+1] == '#'
		}
		line = start
		k := &c.counts[id]
		if k.body == 0 && k.meta == 0 {
			c.seen = append(c.seen, id)
		}
		k.body += body
		if k.meta += weight; heading && body > 0 {
			k.meta += weightHeading
		}
	}
	for at := range c.terms.prefilter.starts(text) {
		if at < end {
			continue // in a word that was looked at, after a letter beyond ASCII
		}
		for start = at; start > end && IsLetter(text[start-1]); {
			start--
		}
		c.word = c.word[:0]
		all := byte(0)
		for end = start; end < len(text) && IsLetter(text[end]); end++ {
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
