package linematch

import "slices"

// Filter shows, without the text, which patterns cannot match any line of it: those whose required sequences all
// contain three successive bytes that the text lacks. It takes about a sixth of the size of the text.
type Filter struct {
	set     []uint64 // hashes of three bytes in lower case, as a bit set; its length is a power of two
	special bool     // HasSpecial of the text
}

// filterWords is the maximum size of a filter in words.
const filterWords = 1 << 16 / 64

// NewFilter returns the filter of a text.
func NewFilter(text []byte) *Filter {
	words := 1
	for 64*words < len(text)*4/3 && words < filterWords {
		words *= 2
	}
	f := &Filter{set: make([]uint64, words), special: HasSpecial(text)}
	eachGram(text, func(h uint16) {
		h &= uint16(64*words - 1)
		f.set[h/64] |= 1 << (h % 64)
	})
	return f
}

// Size returns the size of the filter in bytes.
func (f *Filter) Size() int { return 8*len(f.set) + 32 }

// eachGram calls visit with the hash of every sequence of three bytes in text, in lower case.
func eachGram(text []byte, visit func(h uint16)) {
	h := uint32(0)
	for i := range len(text) {
		b := text[i]
		if 'A' <= b && b <= 'Z' {
			b += 'a' - 'A'
		}
		if h = h<<8 | uint32(b); i >= 2 {
			visit(uint16(h & 0xFFFFFF * 0x9E3779B1 >> 16))
		}
	}
}

// grams returns the hashes of the sequence where each byte is known but for its case.
func (s sequence) grams() (all []uint16) {
	var known []byte
	for _, class := range s {
		if len(class) > 1 && (len(class) > 2 || class[0]^class[1] != 'a'-'A' || class[0]|0x20 < 'a' || class[0]|0x20 > 'z') {
			known = nil
			continue
		}
		if known = append(known, class[0]); len(known) >= 3 {
			eachGram(known[len(known)-3:], func(h uint16) { all = append(all, h) })
		}
	}
	return all
}

// holds reports whether the text may contain all of the grams.
func (f *Filter) holds(grams []uint16) bool {
	for _, h := range grams {
		if h &= uint16(64*len(f.set) - 1); f.set[h/64]>>(h%64)&1 == 0 {
			return false
		}
	}
	return true
}

// Excludes reports whether the filter rules out a match in any line of the text. f may be nil.
func (p *Pattern) Excludes(f *Filter) bool {
	if f == nil || p.find == nil || f.special && (p.find.forms || p.find.folds) {
		return false
	}
	return !slices.ContainsFunc(p.find.grams, f.holds)
}
