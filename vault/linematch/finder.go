package linematch

import (
	"bytes"
	"math"
)

// finder finds the next occurrence of one of several literals.
//
// It looks for the rarest byte of each literal with package bytes, for both cases if case is ignored. Occurrences
// that have been found but not reached yet are kept, so a buffer is read once for each byte, however often next is
// called.
type finder struct {
	l     *literals
	each  []needle
	grams [][]uint16 // of each literal, for filters
}

type needle struct {
	text []byte
	fold bool
	rare int // index in text of the byte to look for

	low, up         byte
	nextLow, nextUp int // next positions of low and up; not known if before the current offset
}

const nowhere = math.MaxInt

func newFinder(l *literals) *finder {
	f := &finder{l: l, grams: l.grams()}
	for _, text := range l.set {
		n := needle{text: []byte(text), fold: l.fold}
		for i := range n.text {
			if frequency(n.text[i], l.fold) < frequency(n.text[n.rare], l.fold) {
				n.rare = i
			}
		}
		n.low = n.text[n.rare]
		n.up = n.low
		if l.fold && isLower(n.low) {
			n.up = n.low - 'a' + 'A'
		}
		f.each = append(f.each, n)
	}
	return f
}

// The bytes of the two non-ASCII runes that fold to an ASCII letter.
var (
	kelvinSign = []byte("\u212a")
	longS      = []byte("\u017f")
)

// blind reports whether buf contains a rune that matches a letter of the literals but would not be found.
func (f *finder) blind(buf []byte) bool {
	return f.l.kelvin && hasKelvin(buf) || f.l.longS && hasLongS(buf)
}

func hasKelvin(text []byte) bool { return bytes.Contains(text, kelvinSign) }
func hasLongS(text []byte) bool  { return bytes.Contains(text, longS) }

// begin prepares for another buffer.
func (f *finder) begin() {
	for i := range f.each {
		f.each[i].nextLow, f.each[i].nextUp = -1, -1
	}
}

// next returns the first start of a literal at offset from or later, or -1. Offsets must not decrease between calls
// of begin.
func (f *finder) next(buf []byte, from int) int {
	at := nowhere
	for i := range f.each {
		at = min(at, f.each[i].next(buf, from, at))
	}
	if at == nowhere {
		return -1
	}
	return at
}

// next returns the first occurrence of n at offset from or later, or nowhere. It may ignore occurrences after limit.
func (n *needle) next(buf []byte, from, limit int) int {
	for at := from + n.rare; ; {
		if n.nextLow < at {
			n.nextLow = indexFrom(buf, at, n.low)
		}
		if n.up != n.low && n.nextUp < at {
			n.nextUp = indexFrom(buf, at, n.up)
		}
		hit := n.nextLow
		if n.up != n.low {
			hit = min(hit, n.nextUp)
		}
		if hit == nowhere {
			return nowhere
		}
		start := hit - n.rare
		if start > limit || start+len(n.text) > len(buf) {
			return nowhere
		}
		if n.equal(buf[start : start+len(n.text)]) {
			return start
		}
		at = hit + 1
	}
}

func indexFrom(buf []byte, from int, b byte) int {
	if from < len(buf) {
		if i := bytes.IndexByte(buf[from:], b); i >= 0 {
			return from + i
		}
	}
	return nowhere
}

func (n *needle) equal(b []byte) bool {
	if !n.fold {
		return string(b) == string(n.text)
	}
	for i, c := range n.text {
		if d := b[i]; d != c && (!isLower(c) || d|0x20 != c || d&0x80 != 0) {
			return false
		}
	}
	return true
}

func isLower(b byte) bool { return 'a' <= b && b <= 'z' }

// Costs in nanoseconds per byte of text, measured on one machine. Only their proportions matter.
const (
	automatonCost = 1.2
	streamCost    = 0.05 // searching for one byte
	stopCost      = 5    // per occurrence of that byte
	lineCost      = 150  // running the automaton over a line
	useless       = math.MaxFloat64
)

// cost estimates the cost of searching for a set of literals.
func cost(set []string, fold bool) float64 {
	if len(set) > maxSet {
		return useless
	}
	total := 0.0
	for _, text := range set {
		if text == "" {
			return useless
		}
		rare, chance, letter := 1.0, 1.0, false
		for i := range len(text) {
			f := frequency(text[i], fold)
			if f < rare {
				rare, letter = f, isLower(text[i])
			}
			chance *= math.Sqrt(f) // adjacent letters are not independent
		}
		total += streamCost + rare*stopCost + chance*math.Sqrt(rare)*lineCost
		if fold && letter {
			total += streamCost
		}
	}
	return total
}

// frequency returns the approximate share of a byte in Markdown notes; with fold, that of both cases of a letter.
func frequency(b byte, fold bool) float64 {
	switch {
	case isLower(b):
		return letters[b-'a']
	case 'A' <= b && b <= 'Z' && fold:
		return letters[b-'A']
	case 'A' <= b && b <= 'Z':
		return letters[b-'A'] / 15
	case '0' <= b && b <= '9':
		return 0.005
	case b == ' ':
		return 0.16
	case b == '\t' || b == '.' || b == ',' || b == '-' || b == '*':
		return 0.008
	case b == '#' || b == '[' || b == ']' || b == '(' || b == ')' || b == '/' || b == ':':
		return 0.004
	case b >= 0x80:
		return 0.006
	}
	return 0.001
}

// letters are the shares of a to z in English text, including spaces and punctuation in the total.
var letters = [26]float64{
	0.064, 0.012, 0.024, 0.032, 0.099, 0.017, 0.016, 0.042, 0.058, 0.0013, 0.006, 0.032, 0.019,
	0.056, 0.060, 0.016, 0.0010, 0.050, 0.052, 0.072, 0.022, 0.008, 0.016, 0.0017, 0.016, 0.0008,
}
