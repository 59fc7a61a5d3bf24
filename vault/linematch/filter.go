package linematch

import "math/bits"

// Filter shows, without the text, which patterns cannot match any line of it: those whose required literals all
// contain a sequence of three bytes that the text lacks. It takes about a sixth of the size of the text.
type Filter struct {
	set  []uint64 // hashes of three bytes in lower case, as a bit set; its length is a power of two
	wide bool     // the text contains a rune that the literals do not cover (see finder.blind)
}

// filterWords is the maximum size of a filter in words.
const filterWords = 1 << 16 / 64

// NewFilter returns the filter of a text.
func NewFilter(text []byte) *Filter {
	var all [filterWords]uint64
	eachGram(text, func(h uint16) { all[h/64] |= 1 << (h % 64) })
	set := all[:]
	for len(set) > 1 {
		half := len(set) / 2
		ones := 0
		for i := range half {
			ones += bits.OnesCount64(set[i] | set[i+half])
		}
		if ones > half*64/3 {
			break
		}
		for i := range half {
			set[i] |= set[i+half]
		}
		set = set[:half]
	}
	return &Filter{set: append(make([]uint64, 0, len(set)), set...), wide: hasKelvin(text) || hasLongS(text)}
}

// Size returns the size of the filter in bytes.
func (f *Filter) Size() int { return 8*len(f.set) + 32 }

// eachGram calls visit with the hash of every sequence of three bytes in text, in lower case.
func eachGram[T []byte | string](text T, visit func(h uint16)) {
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

// grams returns the hashes of each literal.
func (l *literals) grams() [][]uint16 {
	all := make([][]uint16, len(l.set))
	for i, text := range l.set {
		eachGram(text, func(h uint16) { all[i] = append(all[i], h) })
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
func (s *Scanner) Excludes(f *Filter) bool {
	if f == nil || s.find == nil || f.wide && (s.p.literal.kelvin || s.p.literal.longS) {
		return false
	}
	for _, grams := range s.find.grams {
		if f.holds(grams) {
			return false
		}
	}
	return true
}
