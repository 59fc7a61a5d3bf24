package retrieval

import (
	"encoding/binary"
	"iter"
	"math/bits"
)

// prefilter is a set of beginnings of words, at most four letters each, which tells most words that cannot
// be meant without a look at the rest of them.
type prefilter struct {
	set   [1 << 18 / 64]uint64 // by a hash
	short bool                 // there are words of fewer than four letters
	wide  uint64               // all ones where words may be of letters beyond ASCII only
}

// add adds the words that have a stem: stemming changes none of the first letters but a y.
func (s *prefilter) add(stem string) { s.fill(0, 0, stem) }

// alphabet is what a prefilter takes for letters.
const alphabet = "abcdefghijklmnopqrstuvwxyz0123456789"

// addNear adds the words that a misspelt one may stand for: those with the same first letters, except the second.
func (s *prefilter) addNear(word string) {
	s.add(word[:2])
	s.add(word[:1] + word[2:3])
	for i := range len(alphabet) {
		s.add(word[:1] + alphabet[i:i+1] + word[1:2])
		s.add(word[:1] + alphabet[i:i+1] + word[2:3])
	}
}

// addForms adds the words that have one of some stems, irregular forms included.
func (s *prefilter) addForms(stems map[string]bool) {
	for stem := range stems {
		s.add(stem)
	}
	for form, base := range irregular() {
		if stems[Stem(base)] {
			s.add(form)
		}
	}
}

// may reports whether a token may have one of the stems. False positives are possible.
func (s *prefilter) may(tok []byte) bool {
	key := uint32(0)
	for i, b := range tok[:min(len(tok), 4)] {
		if b >= 0x80 {
			return true
		}
		key |= uint32(b) << (8 * i)
	}
	return s.has(key) != 0
}

func (s *prefilter) fill(key uint32, n int, rest string) {
	next := func(b byte, rest string) { s.fill(key|uint32(b)<<(8*n), n+1, rest) }
	if n == 4 || rest == "" {
		h := hashOfKey(key)
		s.set[h/64] |= 1 << (h % 64)
		s.short = s.short || n < 4
	}
	switch {
	case n == 4:
	case rest == "" && n > 1: // a word of one letter has no other forms
		for i := range len(alphabet) {
			next(alphabet[i], "")
		}
	case rest == "":
	case rest[0] < 0x80:
		if next(rest[0], rest[1:]); rest[0] == 'i' {
			next('y', rest[1:])
		}
	default:
		s.wide = 1<<64 - 1
	}
}

func hashOfKey(key uint32) uint32 { return key * 0x9E3779B1 >> 14 }

// has is 1 where a key is in the set, or another of the same hash.
func (s *prefilter) has(key uint32) uint64 {
	h := hashOfKey(key)
	return s.set[h/64] >> (h % 64) & 1
}

// within are the bytes of a beginning that belong to the word, by which of the four are letters.
var within = func() (t [16]uint32) {
	for i := range t {
		t[i] = 1<<(8*bits.TrailingZeros8(^uint8(i))) - 1
	}
	return t
}()

// starts are the places of a text where a word begins that may be of the set, and where in a word plain
// letters and those beyond ASCII meet, as in "Café": where they are letters is for a slower look.
func (s *prefilter) starts(text []byte) iter.Seq[int] {
	return func(yield func(int) bool) {
		var last [68]byte
		edge := uint64(0)
		for base := 0; base < len(text); base += step {
			block := &last
			if len(text)-base >= len(last) {
				block = (*[68]byte)(text[base:])
			} else {
				clear(last[copy(last[:], text[base:]):])
			}
			var found uint64
			for found, edge = s.filter(block, edge); found != 0; found &= found - 1 {
				if !yield(base + bits.TrailingZeros64(found)) {
					return
				}
			}
		}
	}
}

// step is how many bytes of a block are looked at: each word's whole beginning is within the block.
const step = 60

// filter is the starts in a block, a bit each. There is no branch in it that depends on what the words are.
// edge is what the byte before the block is: 1 for a plain letter, 2 for one beyond ASCII.
func (s *prefilter) filter(block *[68]byte, edge uint64) (found, next uint64) {
	plain, high := classes(block)
	afterPlain, afterHigh := plain<<1|edge&1, high<<1|edge>>1
	found = high&afterPlain | plain&afterHigh | high&^afterHigh&s.wide
	starts := plain &^ afterPlain & (1<<step - 1)
	long := starts & (plain >> 1) & (plain >> 2) & (plain >> 3)
	for w := long; w != 0; w &= w - 1 {
		i := bits.TrailingZeros64(w) & 63
		found |= s.has(binary.LittleEndian.Uint32(block[i:])|0x20202020) << i
	}
	if s.short {
		for w := starts &^ long; w != 0; w &= w - 1 {
			i := bits.TrailingZeros64(w) & 63
			found |= s.has((binary.LittleEndian.Uint32(block[i:])|0x20202020)&within[plain>>i&15]) << i
		}
	}
	return found & (1<<step - 1), plain>>(step-1)&1 | high>>(step-1)&1<<1
}

// classes are the bytes of a block that are letters or digits, and those beyond ASCII, a bit each.
func classes(block *[68]byte) (plain, high uint64) {
	for k := range 8 {
		x := binary.LittleEndian.Uint64(block[8*k:])
		plain |= gather(plainOf(x)) << (8 * k)
		high |= gather(x) << (8 * k)
	}
	return plain, high
}

const ones = 0x0101010101010101 // a bit in each of eight bytes

// plainOf has the highest bit of each of eight bytes that is a letter or digit; the others mean nothing.
func plainOf(x uint64) uint64 {
	low := x&(0x7F*ones) | 0x20*ones
	digit := (low + (0x80-'0')*ones) &^ (low + (0x7F-'9')*ones)
	letter := (low + (0x80-'a')*ones) &^ (low + (0x7F-'z')*ones)
	return (digit | letter) &^ x
}

// gather is the highest bits of eight bytes.
func gather(x uint64) uint64 { return x >> 7 & ones * 0x0102040810204080 >> 56 }
