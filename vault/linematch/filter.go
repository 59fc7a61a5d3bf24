package linematch

import "math/bits"

// Filter says of a text that is not at hand which patterns match no line of it: those that demand
// literals of each of which some three bytes together stand nowhere in the text. It takes about a
// sixth of the text.
type Filter struct {
	set  []uint64 // by the hash of three bytes, in lower case; their number is a power of two
	wide bool     // a rune is in it that the literals say nothing about (see finder.blind)
}

// filterWords is the size of the largest filter.
const filterWords = 1 << 16 / 64

// NewFilter makes the filter of a text.
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

// Size is how many bytes it takes.
func (f *Filter) Size() int { return 8*len(f.set) + 32 }

// eachGram calls visit with the hash of each three bytes of a text, in lower case.
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

// grams are those of each literal.
func (l *literals) grams() [][]uint16 {
	all := make([][]uint16, len(l.set))
	for i, text := range l.set {
		eachGram(text, func(h uint16) { all[i] = append(all[i], h) })
	}
	return all
}

// holds says whether all of some grams may be in the text.
func (f *Filter) holds(grams []uint16) bool {
	for _, h := range grams {
		if h &= uint16(64*len(f.set) - 1); f.set[h/64]>>(h%64)&1 == 0 {
			return false
		}
	}
	return true
}

// Excludes says that the expression matches no line of a text, by its filter, which may be nil.
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
