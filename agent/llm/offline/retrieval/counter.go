package retrieval

import (
	"bytes"
	"strings"
)

// counter makes a segment that holds some terms only, as fast as texts can be gone through: a word is
// known by a hash of its letters, so that it is looked at once in all texts.
type counter struct {
	segmentBuilder
	stems  map[string]bool
	begins prefixes
	wide   bool     // a term has letters beyond ASCII
	keys   []uint64 // hashes of words, by open addressing; 0: free
	ids    []uint32 // their terms
	known  int
}

// noTerm stands for a word that is not counted.
const noTerm = 1<<32 - 1

func newCounter(stems map[string]bool) *counter {
	c := &counter{segmentBuilder: *newSegmentBuilder(), stems: stems, keys: make([]uint64, 1<<13), ids: make([]uint32, 1<<13)}
	for s := range stems {
		c.begins.add(s)
		c.wide = c.wide || strings.IndexFunc(s, func(r rune) bool { return r >= 0x80 }) >= 0
	}
	for form, base := range irregular() {
		if stems[Stem(base)] {
			c.begins.add(form)
		}
	}
	return c
}

// prefixes is the set of the first four letters of words, which tells most of those that cannot be
// meant by them alone.
type prefixes [37*37*37*37/64 + 1]uint64

// ordinals number the bytes of words from 1, y as i: stemming makes the one of the other.
var ordinals = func() (t [256]uint32) {
	for i := range t {
		switch b := letters[i]; {
		case b == 'y':
			t[i] = uint32('i'-'a') + 1
		case 'a' <= b && b <= 'z':
			t[i] = uint32(b-'a') + 1
		case '0' <= b && b <= '9':
			t[i] = uint32(b-'0') + 27
		}
	}
	return t
}()

// add adds the words that begin with a stem, as far as four letters tell.
func (p *prefixes) add(stem string) {
	n := uint32(0)
	for i := range min(len(stem), 4) {
		n = n*37 + ordinals[stem[i]]
	}
	span := uint32(1)
	for range 4 - min(len(stem), 4) {
		n, span = n*37, span*37
	}
	for i := range span {
		p[(n+i)/64] |= 1 << ((n + i) % 64)
	}
}

// letters are the bytes of words, in lower case; 0 for others, wide for those beyond ASCII.
var letters = func() (t [256]byte) {
	for i := range t {
		c := byte(i)
		switch {
		case c >= 0x80:
			t[i] = wide
		case 'A' <= c && c <= 'Z':
			t[i] = c + 'a' - 'A'
		case isASCIIWord(c):
			t[i] = c
		}
	}
	return t
}()

const wide = 0xFF

// add counts what a note has of the terms.
func (c *counter) add(n Note, text []byte) {
	doc := document{note: n}
	m := &doc.meta
	m.Dates = isoDates(Name(n.Path))
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	if bytes.HasPrefix(text, []byte("---")) {
		if end := bytes.Index(text, []byte("\n---")); end > 0 {
			var props propertyReader
			eachLine(text[:end+4], func(l Line) {
				for _, p := range props.line(string(l.Text)) {
					m.property(p, l.Number)
					if !isListKey(p.Key) && p.Key != "title" {
						doc.length += c.count([]byte(p.Key), 0) + c.count([]byte(p.Value), 0)
						c.count([]byte(p.Value), weightProperty)
					}
				}
			})
			text = text[end+4:]
		}
	}
	if head, rest, ok := bytes.Cut(bytes.TrimLeft(text, "\r\n"), []byte("\n")); m.Title == "" && ok && bytes.HasPrefix(head, []byte("# ")) {
		m.Title = PlainText(string(head[2:]))
		doc.length += c.count(head, 0)
		text = rest
	}
	doc.length += c.count(text, 0)
	c.count([]byte(Name(n.Path)), weightTitle)
	if m.Title != "" && m.Title != Name(n.Path) {
		c.count([]byte(m.Title), weightAlias)
	}
	for _, a := range m.Aliases {
		c.count([]byte(a), weightAlias)
	}
	c.count([]byte(strings.Join(m.Tags, " ")), weightTag)
	c.count([]byte(folderOf(n.Path)), weightFolder)
	c.flush(doc)
}

// count counts the words of a text; weight 0 is the note's text itself, where those of headings
// weigh more.
func (c *counter) count(text []byte, weight uint32) (n uint32) {
	heading := len(text) > 0 && text[0] == '#'
	kinds, numbers, begins := &letters, &ordinals, &c.begins
	for i := 0; i < len(text); {
		if kinds[text[i]] == 0 {
			if text[i] == '\n' && i+1 < len(text) {
				heading = text[i+1] == '#'
			}
			i++
			continue
		}
		start, prefix := i, uint32(0)
		for k := range 4 { // unrolled by what follows: most words end here
			o := uint32(0)
			if i = start + k; i < len(text) {
				o = numbers[text[i]]
			}
			if prefix = prefix*37 + o; o == 0 {
				for range 3 - k {
					prefix *= 37
				}
				break
			}
			i++
		}
		for i < len(text) && numbers[text[i]] != 0 {
			i++
		}
		n++
		if i < len(text) && kinds[text[i]] == wide {
			latin := text[i]>>2 == 0xC4>>2 || text[i] == 0xC3
			for i < len(text) && kinds[text[i]] != 0 {
				i++
			}
			if c.wide || latin { // "Café"; words in other scripts are no words of the question
				eachToken(text[start:i], func(tok []byte) { c.found(c.lookUp(hashOf(tok), tok), weight, heading) })
			}
			continue
		}
		if begins[prefix/64]&(1<<(prefix%64)) != 0 {
			c.found(c.lookUp(hashOf(text[start:i]), text[start:i]), weight, heading)
		}
	}
	return n
}

func hashOf(word []byte) uint64 {
	h := uint64(14695981039346656037)
	for _, b := range word {
		h = (h ^ uint64(letters[b])) * 1099511628211
	}
	return h
}

// found counts an occurrence of a term.
func (c *counter) found(id, weight uint32, heading bool) {
	if id == noTerm {
		return
	}
	k := &c.counts[id]
	if k.body == 0 && k.meta == 0 {
		c.seen = append(c.seen, id)
	}
	if weight == 0 {
		k.body++
	}
	if k.meta += weight; heading && weight == 0 {
		k.meta += weightHeading
	}
}

// lookUp is the term of a word, by its hash.
func (c *counter) lookUp(h uint64, word []byte) uint32 {
	mask := uint64(len(c.keys) - 1)
	for at := h & mask; ; at = (at + 1) & mask {
		switch c.keys[at] {
		case h:
			return c.ids[at]
		case 0:
			id := c.learn(word)
			if c.known++; 2*c.known > len(c.keys) {
				c.grow()
				return c.put(h, id)
			}
			c.keys[at], c.ids[at] = h, id
			return id
		}
	}
}

func (c *counter) put(h uint64, id uint32) uint32 {
	mask := uint64(len(c.keys) - 1)
	at := h & mask
	for c.keys[at] != 0 {
		at = (at + 1) & mask
	}
	c.keys[at], c.ids[at] = h, id
	return id
}

func (c *counter) grow() {
	keys, ids := c.keys, c.ids
	c.keys, c.ids = make([]uint64, 4*len(keys)), make([]uint32, 4*len(ids))
	for i, h := range keys {
		if h != 0 {
			c.put(h, ids[i])
		}
	}
}

// learn is the term of a word that is met for the first time.
func (c *counter) learn(word []byte) uint32 {
	if len(word) > maxToken {
		return noTerm
	}
	low := strings.ToLower(string(word))
	if !c.stems[Stem(low)] {
		return noTerm
	}
	return c.term([]byte(low))
}
