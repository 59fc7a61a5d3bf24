package complete

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

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
	masks  []uint64 // by item: which letters are in it
}

// NewCorpus makes names ready; those that are likelier meant stand first.
func NewCorpus(items []Item) *Corpus {
	c := &Corpus{items: items, folded: make([]string, len(items)), names: make([]int32, len(items)), masks: make([]uint64, len(items))}
	for i := range items {
		f := fold(items[i].Text)
		c.folded[i] = f
		c.names[i] = int32(strings.LastIndexByte(strings.TrimSuffix(f, "/"), '/') + 1)
		c.masks[i] = mask(f)
	}
	return c
}

// Len is the number of names.
func (c *Corpus) Len() int {
	if c == nil {
		return 0
	}
	return len(c.items)
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

// mask tells which letters are in a text; different letters may share a bit.
func mask(folded string) uint64 {
	var m uint64
	for i := range len(folded) {
		m |= 1 << (folded[i] & 63)
	}
	return m
}
