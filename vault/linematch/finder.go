package linematch

import (
	"bytes"
	"math"
	"strings"
	"unicode/utf8"
)

// finder finds the occurrences of a few sequences in a text.
type finder struct {
	need  []sequence
	exact bool       // a line matches if and only if it contains one of the sequences
	folds bool       // a text with a rune of specialRunes may match without one of the sequences
	forms bool       // so may a text with letters or digits of another form
	ascii bool       // the sequences are ASCII
	grams [][]uint16 // of each sequence, for filters

	// The positions of all sequences, one bit each: those at which a byte may be, the first and the last ones.
	at          [256]uint64
	first, last uint64
	// The position of the rarest byte of a single sequence and its one or two spellings; -1 if it has more.
	rare          int
	common, other byte
}

// sequence is a sequence of bytes: for each position, the bytes that may be there.
type sequence []string

// maxPositions is the number of positions that a finder can look for.
const maxPositions = 64

func newFinder(need []sequence, exact, folds bool) *finder {
	f := &finder{need: need, exact: exact, folds: folds, ascii: true, rare: -1}
	bit := 0
	for i, s := range f.need {
		if most := maxPositions / len(f.need); len(s) > most {
			s, f.exact = s[:most], false
			f.need[i] = s
		}
		f.first |= 1 << bit
		for _, class := range s {
			for _, b := range []byte(class) {
				f.ascii = f.ascii && b < utf8.RuneSelf
				f.at[b] |= 1 << bit
			}
			bit++
		}
		f.last |= 1 << (bit - 1)
		f.grams = append(f.grams, s.grams())
	}
	if len(f.need) == 1 {
		rarest := 0.0
		for i, class := range f.need[0] {
			if bits := rarity(class); len(class) <= 2 && bits > rarest {
				rarest, f.rare, f.common, f.other = bits, i, class[0], class[len(class)-1]
				if f.common < f.other { // lower case is more common
					f.common, f.other = f.other, f.common
				}
			}
		}
	}
	return f
}

// next returns the offset of the last byte of the first occurrence that begins at from or later, or -1.
func (f *finder) next(buf []byte, from int) int {
	if f.rare >= 0 {
		return f.nextRare(buf, from)
	}
	state, at, first, last := uint64(0), &f.at, f.first, f.last
	for i, b := range buf[from:] { // shift-and: R. Baeza-Yates and G. Gonnet, 1992
		if state = (state<<1 | first) & at[b]; state&last != 0 {
			return from + i
		}
	}
	return -1
}

// window is the number of bytes in which nextRare looks for one spelling before the other.
const window = 1 << 10

// nextRare is next for a single sequence: it looks for its rarest byte.
func (f *finder) nextRare(buf []byte, from int) int {
	size := len(f.need[0])
	for at := from + f.rare; at < len(buf); {
		stop := min(at+window, len(buf))
		found := false
		if i := bytes.IndexByte(buf[at:stop], f.common); i >= 0 {
			stop, found = at+i, true
		}
		if f.other != f.common {
			if i := bytes.IndexByte(buf[at:stop], f.other); i >= 0 {
				stop, found = at+i, true
			}
		}
		if !found {
			at = stop
			continue
		}
		if end := stop - f.rare + size; end <= len(buf) && f.occurs(buf[end-size:end]) {
			return end - 1
		}
		at = stop + 1
	}
	return -1
}

// occurs reports whether text is an occurrence of the single sequence.
func (f *finder) occurs(text []byte) bool {
	for i, b := range text {
		if f.at[b]>>i&1 == 0 {
			return false
		}
	}
	return true
}

// rarity returns how rare the bytes of a class are in Markdown notes, in bits.
func rarity(class string) float64 {
	const byFrequency = "etaoinshrdlcumwfgypbvkjxqz" // in English
	share := 0.0
	for _, b := range []byte(class) {
		rank := strings.IndexByte(byFrequency, b|0x20)
		switch {
		case b == ' ':
			share += 0.16
		case rank < 0:
			share += 0.005
		case b&0x20 == 0:
			share += 0.01 / float64(1+rank)
		default:
			share += 0.1 / float64(1+rank)
		}
	}
	return -math.Log2(min(share, 0.99))
}
