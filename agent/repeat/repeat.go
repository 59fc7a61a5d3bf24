// Package repeat detects loops: in a model's tool calls and in its text.
package repeat

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"

	"chatvault/internal/base/text"
)

// Bounds of what counts as being stuck.
const (
	callRepeats = 3 // times a call, or a cycle of calls, comes with the same results
	maxPeriod   = 4 // longest cycle looked for
	maxErrors   = 5 // consecutive failures of one tool
)

// Step is one tool call as the loop detector sees it.
type Step struct {
	Tool    string
	Args    string // canonical JSON
	Result  string
	IsError bool
}

// Calls detects loops in a turn's tool calls: the same call with the same result, a short cycle of such calls, or a
// tool that keeps failing. A new successful result resets all counts.
type Calls struct {
	steps  []mark
	seen   map[string]bool // successful outputs
	errors map[string]int  // consecutive failures by tool
}

type mark struct {
	Step
	fresh bool // a successful output not seen before
}

// NewCalls returns a detector that has seen nothing.
func NewCalls() *Calls { return &Calls{seen: map[string]bool{}, errors: map[string]int{}} }

// Add takes the next step and describes the loop, for the model; empty if there is none.
func (d *Calls) Add(s Step) string {
	m := mark{Step: s}
	if s.IsError {
		d.errors[s.Tool]++
	} else {
		delete(d.errors, s.Tool)
		if m.fresh = !d.seen[s.Result]; m.fresh {
			d.seen[s.Result] = true
			clear(d.errors)
		}
	}
	m.IsError = false // what was called and returned is compared
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
		names := text.Of(d.steps[len(d.steps)-period:], func(m mark) string { return m.Tool })
		return fmt.Sprintf("the same %d calls (%s) came round %d times with the same results", period, strings.Join(names, ", "), callRepeats)
	}
	return ""
}

// cycles reports whether the last steps repeat one cycle of this period, of which only the first round brought new
// results.
func (d *Calls) cycles(period int) bool {
	n := callRepeats * period
	if len(d.steps) < n {
		return false
	}
	last := d.steps[len(d.steps)-n:]
	for i := period; i < n; i++ {
		if last[i].Step != last[i-period].Step || last[i].fresh {
			return false
		}
	}
	return true
}

// MaxEmptySteps is the number of consecutive empty steps of a model that end a turn; each but the last is answered by
// NudgeText.
const MaxEmptySteps = 2

// NudgeText asks again after an empty step.
const NudgeText = "(Your last response was empty. Answer the user, or call a tool.)"

// A block of up to longestBlock bytes is repeated endlessly if it comes blockRepeats times in a row, and one shorter
// than fullBlock bytes more often, until it makes up about shortBlocks bytes: a ruler, a row of cells or a line that was
// asked for many times is no mistake. Text without letters and digits, such as line breaks or the cells of an empty
// table, takes wordless bytes.
const (
	longestBlock = 4096
	blockRepeats = 12
	fullBlock    = 200
	shortBlocks  = 4000
	wordless     = 12_000
)

// repeatsNeeded returns how often a block must come in a row to count as endless.
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

// Text notices, while a text streams in, that its tail is one block repeated endlessly. It looks at the tail each
// time that has grown by a twelfth, or by checkEvery bytes, so that it takes linear time and bounded memory. The zero value is ready to use.
type Text struct {
	tail   []byte // the newest bytes
	start  int    // offset of tail in the text
	unseen int    // bytes since the last look
	border []int
}

const (
	checkEvery = 512
	keptBytes  = (blockRepeats + 1) * longestBlock
)

// Add takes the next piece of the text. If the text is endless, it returns its length up to the end of the block's
// first occurrence, and true.
func (e *Text) Add(piece string) (keep int, found bool) {
	for len(piece) > 0 {
		every := max(checkEvery, len(e.tail)/blockRepeats)
		n := min(len(piece), max(every-e.unseen, 1))
		e.tail = append(e.tail, piece[:n]...)
		piece = piece[n:]
		if e.unseen += n; e.unseen < every {
			break
		}
		e.unseen = 0
		if drop := len(e.tail) - keptBytes; drop > 0 {
			e.tail = append(e.tail[:0], e.tail[drop:]...)
			e.start += drop
		}
		if length, period := e.endless(); period > 0 {
			return e.start + len(e.tail) - length + period, true
		}
	}
	return 0, false
}

// endless returns the length and the period of an endless repetition at the end of the tail; zero if there is none. It
// computes the prefix function of the reversed tail, of which border[i] is the longest border of the last i+1 bytes.
func (e *Text) endless() (length, period int) {
	n := len(e.tail)
	at := func(i int) byte { return e.tail[n-1-i] }
	if cap(e.border) < n {
		e.border = make([]int, keptBytes)
	}
	border := e.border[:n]
	for i, k := 1, 0; i < n; i++ {
		for k > 0 && at(i) != at(k) {
			k = border[k-1]
		}
		if at(i) == at(k) {
			k++
		}
		border[i] = k
		if before := i - border[i-1]; i+1-k != before && e.isEndless(i, before) {
			return i, before
		}
	}
	if period = n - border[n-1]; e.isEndless(n, period) {
		return n, period
	}
	return 0, 0
}

func (e *Text) isEndless(length, period int) bool {
	return period <= longestBlock && length >= period*blockRepeats && length >= period*repeatsNeeded(e.tail[len(e.tail)-period:])
}
