package linematch

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"regexp/syntax"
	"sync/atomic"
	"unicode/utf8"
)

// dfa runs a program over lines by the subset construction, building states on demand (Thompson 1968; RE2 and grep do
// the same). A state is a set of instructions that may come next. The cache of states is emptied when it reaches its
// limit, so memory is bounded and time stays linear.
//
// Assertions (^, $, \b) depend on the runes on both sides: a state that waits at one remembers the kind of the
// previous rune and resolves the assertion when the next rune is known.
type dfa struct {
	p    *program
	stop *atomic.Bool

	stride  int        // transitions per state: one per rune class and one for the end of the line
	next    []state    // the state after s on class c is at [s+c]
	sets    [][]uint64 // the instructions of each state, as a bit set
	before  []kind     // for each state
	ids     map[string]state
	memory  int   // approximate size of the cache in bytes
	limit   int   // for memory; maxMemory except in tests
	flushes int   // how often the cache was emptied
	first   state // at the start of a line

	seen, step sparse // scratch space of build
	stack      []uint32
	key        []byte
}

// state is the number of a state times the stride, or one of the constants below.
type state int32

const (
	unknown state = -1 // not built yet
	matched state = -2 // the line matches
	dead    state = -3 // the line cannot match any more
)

// kind classifies the previous rune, as far as assertions depend on it.
type kind uint8

const (
	lineBegin kind = iota
	wordRune
	otherRune
)

// maxMemory limits the cache of an automaton, in bytes.
const maxMemory = 2 << 20

func newDFA(p *program, stop *atomic.Bool) *dfa {
	d := &dfa{p: p, stop: stop, stride: len(p.sample) + 1, limit: maxMemory}
	d.seen.init(len(p.inst))
	d.step.init(len(p.inst))
	d.flush()
	return d
}

// find returns the first matching line of buf[from:to]. from must be the start of a line, to the end of one.
func (d *dfa) find(buf []byte, from, to int) (Line, bool) {
	if d.first == dead {
		return Line{}, false
	}
	buf = buf[:to]
	start, i, s := from, from, d.first
	endOfLine := d.stride - 1
	next, ascii := d.next, &d.p.ascii
	for i < len(buf) && s != matched {
		b := buf[i]
		var class, width int
		switch {
		case b == '\n' || b == '\r' && (i+1 == to || buf[i+1] == '\n'):
			class, width = endOfLine, 1
			if b == '\r' && i+1 < to {
				width = 2
			}
		case b < utf8.RuneSelf:
			class, width = int(ascii[b]), 1
		default:
			var r rune
			r, width = utf8.DecodeRune(buf[i:])
			class = int(d.p.classOf(r))
		}
		n := next[int(s)+class]
		if n < 0 {
			if n == unknown {
				if d.stop.Load() {
					return Line{}, false
				}
				n = d.build(s, class)
				next = d.next
			}
			if n == matched {
				return lineAt(buf, start, i), true
			}
			if n == dead {
				k := bytes.IndexByte(buf[i:], '\n')
				if k < 0 || d.stop.Load() {
					return Line{}, false
				}
				i += k + 1
				start, s = i, d.first
				continue
			}
		}
		s, i = n, i+width
		if class == endOfLine {
			start = i
			if d.stop.Load() {
				return Line{}, false
			}
		}
	}
	if start == to {
		return Line{}, false
	}
	if s != matched { // a last line without a line ending
		n := next[int(s)+endOfLine]
		if n == unknown {
			n = d.build(s, endOfLine)
		}
		s = n
	}
	if s != matched {
		return Line{}, false
	}
	return lineAt(buf, start, i), true
}

// build adds the transition from s on a class. It may empty the cache; afterwards only the returned state and first
// are valid.
func (d *dfa) build(s state, class int) state {
	n, end := int(s)/d.stride, class == d.stride-1
	var r rune
	after := otherRune
	if !end {
		r = d.p.sample[class]
		if syntax.IsWordChar(r) {
			after = wordRune
		}
	}
	d.seen.clear()
	for w, word := range d.sets[n] {
		for ; word != 0; word &= word - 1 {
			d.seen.add(uint32(w<<6 + bits.TrailingZeros64(word)))
		}
	}
	holds := assertions(d.before[n], after, end)
	for k := 0; k < len(d.seen.dense); k++ { // grows with the instructions behind assertions that are true
		in := &d.p.inst[d.seen.dense[k]]
		switch in.Op {
		case syntax.InstEmptyWidth:
			if syntax.EmptyOp(in.Arg)&^holds == 0 {
				d.follow(&d.seen, in.Out)
			}
		case syntax.InstMatch:
			d.next[int(s)+class] = matched
			return matched
		}
	}
	if end {
		d.next[int(s)+class] = d.first
		return d.first
	}
	d.step.clear()
	for _, pc := range d.seen.dense {
		in := &d.p.inst[pc]
		switch in.Op {
		case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
			if in.MatchRune(r) {
				d.follow(&d.step, in.Out)
			}
		}
	}
	d.follow(&d.step, d.p.start) // a match may begin anywhere in the line
	flushes := d.flushes
	to := d.intern(&d.step, after)
	if flushes == d.flushes {
		d.next[int(s)+class] = to
	}
	return to
}

// assertions returns the assertions that are true between a rune of kind before and one of kind after, or the end of
// the line.
func assertions(before, after kind, end bool) syntax.EmptyOp {
	var ops syntax.EmptyOp
	if before == lineBegin {
		ops |= syntax.EmptyBeginLine | syntax.EmptyBeginText
	}
	if end {
		ops |= syntax.EmptyEndLine | syntax.EmptyEndText
	}
	if (before == wordRune) != (after == wordRune) {
		return ops | syntax.EmptyWordBoundary
	}
	return ops | syntax.EmptyNoWordBoundary
}

// follow adds to set the instructions reachable from pc without consuming a rune or passing an assertion.
func (d *dfa) follow(set *sparse, pc uint32) {
	d.stack = append(d.stack[:0], pc)
	for len(d.stack) > 0 {
		pc = d.stack[len(d.stack)-1]
		d.stack = d.stack[:len(d.stack)-1]
		if !set.add(pc) {
			continue
		}
		switch in := &d.p.inst[pc]; in.Op {
		case syntax.InstAlt, syntax.InstAltMatch:
			d.stack = append(d.stack, in.Arg, in.Out)
		case syntax.InstCapture, syntax.InstNop:
			d.stack = append(d.stack, in.Out)
		}
	}
}

// intern returns the state of a set, adding it to the cache if it is new.
func (d *dfa) intern(set *sparse, before kind) state {
	words := (len(d.p.inst) + 63) / 64
	bitset := make([]uint64, words)
	empty, waits := true, false
	for _, pc := range set.dense {
		switch in := &d.p.inst[pc]; in.Op {
		case syntax.InstMatch:
			return matched
		case syntax.InstEmptyWidth:
			if before != lineBegin && syntax.EmptyOp(in.Arg)&(syntax.EmptyBeginLine|syntax.EmptyBeginText) != 0 {
				continue // can never be true here
			}
			waits = true
		case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
		default:
			continue
		}
		bitset[pc/64] |= 1 << (pc % 64)
		empty = false
	}
	if empty {
		return dead
	}
	if !waits {
		before = otherRune // irrelevant without assertions: merge the states
	}
	d.key = append(d.key[:0], byte(before))
	for _, w := range bitset {
		d.key = binary.LittleEndian.AppendUint64(d.key, w)
	}
	if s, ok := d.ids[string(d.key)]; ok {
		return s
	}
	key := string(d.key)
	if d.memory > d.limit {
		d.flush()
	}
	s := state(len(d.next))
	for range d.stride {
		d.next = append(d.next, unknown)
	}
	d.sets = append(d.sets, bitset)
	d.before = append(d.before, before)
	d.ids[key] = s
	d.memory += 4*d.stride + 2*8*words + 128
	return s
}

// flush empties the cache and builds the first state again.
func (d *dfa) flush() {
	d.next, d.sets, d.before = d.next[:0], d.sets[:0], d.before[:0]
	d.ids = map[string]state{}
	d.memory = 0
	d.flushes++
	var begin sparse
	begin.init(len(d.p.inst))
	d.follow(&begin, d.p.start)
	d.first = d.intern(&begin, lineBegin)
}

// sparse is a set of small integers that keeps insertion order and is cleared in constant time (Briggs and Torczon
// 1993).
type sparse struct {
	dense []uint32
	at    []uint32
}

func (s *sparse) init(n int) { s.dense, s.at = make([]uint32, 0, n), make([]uint32, n) }
func (s *sparse) clear()     { s.dense = s.dense[:0] }

// add reports whether x was new.
func (s *sparse) add(x uint32) bool {
	if i := s.at[x]; int(i) < len(s.dense) && s.dense[i] == x {
		return false
	}
	s.at[x] = uint32(len(s.dense))
	s.dense = append(s.dense, x)
	return true
}
