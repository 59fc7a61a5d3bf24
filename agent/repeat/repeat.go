// Package repeat notices that a model goes round in circles: in what it calls, and in what it writes.
package repeat

import (
	"bytes"
	"fmt"
	"hash/maphash"
	"strings"
	"unicode"

	"chatvault/internal/text"
)

// Bounds of what counts as being stuck.
const (
	callRepeats = 3 // times a call, or a cycle of calls, comes with the same results
	maxPeriod   = 4 // longest cycle looked for
	maxErrors   = 5 // failures of one tool in a row
)

// Step is one tool call as the loop detector sees it.
type Step struct {
	Tool    string
	Args    string // canonical JSON
	Result  string
	IsError bool
}

// Calls knows when a turn goes round in circles: the same call with the same result,
// a short cycle of such calls, or one tool that keeps failing. A successful output that was
// not seen before is progress, and starts all counts anew. It is a plain value: no clock, no
// randomness beyond the seed of its hash.
type Calls struct {
	seed   maphash.Seed
	steps  []mark
	seen   map[uint64]bool // successful outputs
	errors map[string]int  // failures in a row, by tool
}

type mark struct {
	call  uint64 // call and result
	fresh bool   // a successful output not seen before
	tool  string
}

// NewCalls has seen nothing yet.
func NewCalls() *Calls {
	return &Calls{seed: maphash.MakeSeed(), seen: map[uint64]bool{}, errors: map[string]int{}}
}

// Add takes the next step and says, in a sentence for the model, how the turn is stuck; empty:
// it is not.
func (d *Calls) Add(s Step) string {
	out := maphash.String(d.seed, s.Result)
	m := mark{call: maphash.String(d.seed, strings.Join([]string{s.Tool, s.Args, s.Result}, "\x00")), tool: s.Tool}
	if s.IsError {
		d.errors[s.Tool]++
	} else {
		delete(d.errors, s.Tool)
		if m.fresh = !d.seen[out]; m.fresh {
			d.seen[out] = true
			clear(d.errors)
		}
	}
	d.steps = append(d.steps, m)
	d.steps = d.steps[max(0, len(d.steps)-callRepeats*maxPeriod):]
	return d.verdict(s.Tool)
}

func (d *Calls) verdict(tool string) string {
	if n := d.errors[tool]; n >= maxErrors {
		return fmt.Sprintf("%s has failed %d times in a row", tool, n)
	}
	for period := 1; period <= maxPeriod; period++ {
		if !d.cycles(period) {
			continue
		}
		if period == 1 {
			return fmt.Sprintf("the same call of %s gave the same result %d times", tool, callRepeats)
		}
		names := text.Of(d.steps[len(d.steps)-period:], func(m mark) string { return m.tool })
		return fmt.Sprintf("the same %d calls (%s) came round %d times with the same results", period, strings.Join(names, ", "), callRepeats)
	}
	return ""
}

// cycles says whether the last steps are one cycle of this period, repeated; only the first
// round of it may have brought anything new.
func (d *Calls) cycles(period int) bool {
	n := callRepeats * period
	if len(d.steps) < n {
		return false
	}
	last := d.steps[len(d.steps)-n:]
	for i := period; i < n; i++ {
		if last[i].call != last[i-period].call || last[i].fresh {
			return false
		}
	}
	return true
}

// maxEmptySteps is how many empty steps in a row end a turn; each but the last is answered with
// a nudge.
const maxEmptySteps = 2

// NudgeText asks again after an empty step.
const NudgeText = "(Your last response was empty. Answer the user, or call a tool.)"

// Reply is a model step without tool calls, as the goal evaluator of a turn sees it.
type Reply struct {
	Answer bool // it says something
	Told   bool // the step before told the user something, or asked; nothing was asked since
	Empty  int  // empty steps in a row, this one included
	Last   bool // no further model call is allowed
}

// Verdict is what becomes of a turn.
type Verdict int

// The verdicts.
const (
	Complete Verdict = iota
	Nudge            // the model is asked again
	Stuck            // it ends: nothing comes of it
)

// After says whether a turn is complete after a step without tool calls: an answer, or a
// message to the user just before, completes it. An empty step is answered with a nudge, as
// long as there are not too many of them.
func After(s Reply) Verdict {
	switch {
	case s.Answer, s.Told, s.Last:
		return Complete
	case s.Empty < maxEmptySteps:
		return Nudge
	}
	return Stuck
}

// Bounds of what counts as endless repetition.
const (
	longestBlock = 4096 // bytes: some 2,000 characters, in scripts with two bytes to each

	// A block is repeated endlessly when it comes blockRepeats times in a row, and one shorter
	// than fullBlock bytes more often, so that some shortBlocks bytes of it come at least: a
	// ruler, a row of cells or a line that somebody asked for many times is no mistake.
	blockRepeats = 12
	fullBlock    = 200
	shortBlocks  = 4000

	// Of what has no letter or digit (line breaks, dashes, the cells of an empty table) it
	// takes more: a page of it may be meant.
	wordless = 12_000

	gram      = 16 // bytes by which a recurrence is noticed
	maxActive = 8  // periods watched at once
	tableBits = 12
)

// repeatsNeeded is how often a block must come in a row to count as endless.
func repeatsNeeded(block []byte) int {
	n := len(block)
	if !bytes.ContainsFunc(block, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }) {
		return max(blockRepeats, wordless/n)
	}
	if n >= fullBlock {
		return blockRepeats
	}
	return blockRepeats + shortBlocks/n - shortBlocks/fullBlock
}

// Text notices, while a text streams in, that its tail is one block repeated again and
// again. It takes time linear in the text, and a bounded memory.
//
// It watches periods: of each it knows for how many bytes the text has been equal to itself that
// far back. A period is watched once gram bytes recur, which it notices by a hash of every
// gram-th of them.
type Text struct {
	buf    []byte // the newest bytes
	start  int    // offset of buf in the text
	hash   uint64
	seen   [1 << tableBits]int32 // offset in buf just after the gram with this hash, +1; 0: none
	active []period
}

// period is a distance at which the tail of the text equals itself, for run bytes so far.
type period struct{ length, run int }

// How much of the text is kept: what watch looks back over, with room so that it is moved seldom.
const (
	keptBytes = 4 * longestBlock
	bufBytes  = 8 * longestBlock
)

// Add takes the next piece of the text. When it is endless it returns how long the text is up to
// the end of the block's first coming, and true; the rest of the piece is not looked at.
func (e *Text) Add(piece string) (keep int, found bool) {
	for i := range len(piece) {
		if keep, found := e.next(piece[i]); found {
			return keep, true
		}
	}
	return 0, false
}

const hashBase = 0x9E3779B97F4A7C15

// hashOut is hashBase to the power of gram: what the byte that leaves the gram counts.
var hashOut = func() uint64 {
	p := uint64(1)
	for range gram {
		p *= hashBase
	}
	return p
}()

func (e *Text) next(c byte) (keep int, found bool) {
	if len(e.buf) == bufBytes {
		e.trim()
	}
	e.buf = append(e.buf, c)
	n := len(e.buf)
	e.hash = e.hash*hashBase + uint64(c) + 1
	if n > gram {
		e.hash -= (uint64(e.buf[n-1-gram]) + 1) * hashOut
	}
	e.advance()
	if n < gram {
		return 0, false
	}
	slot := &e.seen[e.hash>>(64-tableBits)]
	if at := int(*slot) - 1; at > 0 && at < n {
		e.watch(n - at)
	}
	if (e.start+n)%gram == 0 {
		*slot = int32(n) + 1
	}
	for i := range e.active {
		if p := &e.active[i]; p.run%p.length == 0 && p.run >= (blockRepeats-1)*p.length {
			if keep, found = e.decide(p); found {
				return keep, true
			}
		}
	}
	return 0, false
}

// advance drops the periods that the newest byte breaks.
func (e *Text) advance() {
	n, kept := len(e.buf), e.active[:0]
	for _, p := range e.active {
		if e.buf[n-1] == e.buf[n-1-p.length] {
			p.run++
			kept = append(kept, p)
		}
	}
	e.active = kept
}

// watch begins to watch a period, where it is one.
func (e *Text) watch(length int) {
	if length > longestBlock || len(e.active) == maxActive {
		return
	}
	for _, p := range e.active {
		if p.length == length {
			return
		}
	}
	n, run := len(e.buf), 0
	// It may have been one for longer than a recurrence was noticed, but hardly for more than
	// two blocks: further back is not looked, so that each look costs little.
	for run < 2*longestBlock && n-1-run-length >= 0 && e.buf[n-1-run] == e.buf[n-1-run-length] {
		run++
	}
	if run >= gram {
		e.active = append(e.active, period{length, run})
	}
}

// decide says whether a period that came often enough for a long block did for its own block,
// which may be a shorter one repeated itself: then that one is watched instead.
func (e *Text) decide(p *period) (keep int, found bool) {
	block := e.buf[len(e.buf)-p.length:] // whole: the run is a multiple of it
	if shorter := primitive(block); shorter < p.length {
		p.run += p.length - shorter
		p.length = shorter
		block = block[len(block)-shorter:]
	}
	if p.length+p.run < repeatsNeeded(block)*p.length {
		return 0, false
	}
	return e.start + len(e.buf) - p.run, true
}

// primitive is the length of the shortest block of which b is a whole number of repeats.
func primitive(b []byte) int {
	border := make([]int, len(b)) // longest proper prefix that is a suffix, of each beginning
	for i, k := 1, 0; i < len(b); i++ {
		for k > 0 && b[i] != b[k] {
			k = border[k-1]
		}
		if b[i] == b[k] {
			k++
		}
		border[i] = k
	}
	if n := len(b) - border[len(b)-1]; len(b)%n == 0 {
		return n
	}
	return len(b)
}

// trim forgets all but the newest bytes.
func (e *Text) trim() {
	drop := len(e.buf) - keptBytes
	copy(e.buf, e.buf[drop:])
	e.buf = e.buf[:keptBytes]
	e.start += drop
	for i, at := range e.seen {
		e.seen[i] = max(0, at-int32(drop))
	}
}
