package prosediff

import (
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff/lcs"
)

// step is one passage of an alignment: of the old text, of the new one (-1: it has none there),
// or of both, with its words where those differ, and line by line where that tells it better.
type step struct {
	a, b  int
	words []Span
	lined *lined
}

// align puts the blocks of two texts side by side. Those that are the same and in the same order
// stand together first; of what is left between them, those with most words in common.
func align(before string, a []block, after string, b []block) []step {
	ids, newIDs := identities(before, a, after, b)
	var steps []step
	i, j := 0, 0
	gap := func(toA, toB int) {
		steps = append(steps, alignGap(before, a, i, toA, after, b, j, toB)...)
		i, j = toA, toB
	}
	for _, m := range common(ids, newIDs) {
		gap(m.a, m.b)
		steps = append(steps, step{a: i, b: j})
		i, j = i+1, j+1
	}
	gap(len(a), len(b))
	return steps
}

// identities numbers blocks: those with the same text have the same number.
func identities(before string, a []block, after string, b []block) (ids, newIDs []rune) {
	type identity struct {
		property bool
		body     string
	}
	known := map[identity]rune{}
	number := func(text string, blocks []block) []rune {
		out := make([]rune, len(blocks))
		for i, x := range blocks {
			key := identity{x.kind == Property, x.body(text)}
			id, ok := known[key]
			if !ok {
				id = rune(len(known))
				known[key] = id
			}
			out[i] = id
		}
		return out
	}
	return number(before, a), number(after, b)
}

// match is an element of one sequence that is one of another.
type match struct{ a, b int }

// common are elements that two sequences have in common, in order. What stands once in each, in
// the same order, holds the sequences together (as in the patience diff of Bram Cohen); what is
// between is left to Myers' algorithm, which gives up early where much differs.
func common(a, b []rune) []match {
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	endA, endB := len(a), len(b)
	for endA > head && endB > head && a[endA-1] == b[endB-1] {
		endA, endB = endA-1, endB-1
	}
	var out []match
	for i := range head {
		out = append(out, match{i, i})
	}
	i, j := head, head
	between := func(toA, toB int) {
		at := j
		for _, d := range lcs.DiffRunes(a[i:toA], b[j:toB]) {
			for at < j+d.ReplStart {
				out = append(out, match{i + d.Start - (j + d.ReplStart - at), at})
				at++
			}
			at = j + d.ReplEnd
		}
		for at < toB {
			out = append(out, match{toA - (toB - at), at})
			at++
		}
		i, j = toA, toB
	}
	for _, m := range anchors(a, b, head, endA, endB) {
		if m.a < i || m.b < j {
			continue
		}
		between(m.a, m.b)
		out = append(out, m)
		i, j = m.a+1, m.b+1
	}
	between(endA, endB)
	for ; endA < len(a); endA, endB = endA+1, endB+1 {
		out = append(out, match{endA, endB})
	}
	return out
}

// anchors are the elements of a[from:toA] and b[from:toB] that stand once in each, as many as are
// in the same order in both.
func anchors(a, b []rune, from, toA, toB int) []match {
	once := func(s []rune) map[rune]int { // element: where it stands; -1: more than once
		at := make(map[rune]int, len(s))
		for i, id := range s {
			if _, again := at[id]; again {
				i = -1 - from
			}
			at[id] = from + i
		}
		return at
	}
	inB := once(b[from:toB])
	var both []match
	for id, i := range once(a[from:toA]) {
		if j, ok := inB[id]; ok && i >= 0 && j >= 0 {
			both = append(both, match{i, j})
		}
	}
	slices.SortFunc(both, func(x, y match) int { return x.a - y.a })
	return rising(both)
}

// rising is a longest run of matches, sorted by a, whose b rises (Fredman's algorithm).
func rising(matches []match) []match {
	var ends []int // for each length, the match with the least b that ends such a run
	before := make([]int, len(matches))
	for i, m := range matches {
		n, _ := slices.BinarySearchFunc(ends, m.b, func(e, b int) int { return matches[e].b - b })
		before[i] = -1
		if n > 0 {
			before[i] = ends[n-1]
		}
		if n == len(ends) {
			ends = append(ends, i)
		} else {
			ends[n] = i
		}
	}
	out := make([]match, len(ends))
	if len(ends) > 0 {
		for n, i := len(ends)-1, ends[len(ends)-1]; i >= 0; n, i = n-1, before[i] {
			out[n] = matches[i]
		}
	}
	return out
}

// alignGap aligns blocks of which none is the same.
func alignGap(before string, a []block, i, toA int, after string, b []block, j, toB int) []step {
	var steps []step
	alone := func(upA, upB int) {
		for ; i < upA; i++ {
			steps = append(steps, step{a: i, b: -1})
		}
		for ; j < upB; j++ {
			steps = append(steps, step{a: -1, b: j})
		}
	}
	fromA, fromB := i, j
	for _, m := range pairs(before, a[i:toA], after, b[j:toB]) {
		m.a, m.b = m.a+fromA, m.b+fromB
		old, now := a[m.a].body(before), b[m.b].body(after)
		words := wordDiff(old, now, b[m.b].kind)
		var l *lined
		if words != nil {
			l = lineByLine(before, a[m.a], after, b[m.b], words)
		}
		if words != nil && l == nil && !readable(words) {
			continue
		}
		alone(m.a, m.b)
		steps = append(steps, step{a: i, b: j, words: words, lined: l})
		i, j = i+1, j+1
	}
	alone(toA, toB)
	return steps
}

// readable says whether a passage that changes keeps enough to be read as the same passage.
func readable(words []Span) bool {
	kept, gone, come := 0, 0, 0
	for _, s := range words {
		switch n := countWords(s.Text); s.Op {
		case Same:
			kept += n
		case Removed:
			gone += n
		default:
			come += n
		}
	}
	return kept+gone+come == 0 || inCommon(kept, kept+gone, kept+come) >= leastCommon
}

// leastCommon is what two passages have in common, at least, to be one that changed.
const leastCommon = 0.3

// inCommon says how much two passages of x and y words have in common where they share some of
// them, from 0 to 1: Dice's coefficient; or, where one is much longer, that most of the other is
// still in it.
func inCommon(shared, x, y int) float64 {
	dice := 2 * float64(shared) / float64(x+y)
	if least := min(x, y); least >= 3 {
		const most = 0.7 // of the shorter one
		return max(dice, leastCommon/most*float64(shared)/float64(least))
	}
	return dice
}

// Bounds of how blocks are paired: where more would have to be compared, only near ones are.
const (
	maxPairs  = 4096    // pairs of blocks that are compared
	maxWork   = 4 << 20 // words that are, in those
	lookAhead = 8       // blocks that are looked past, at most
	maxLooks  = 1 << 17 // times that is done
)

// pairs are blocks of two gaps that are one passage that changed, in order. Where the gaps are
// small, they are those with the most in common; else the first that will do.
func pairs(before string, a []block, after string, b []block) []match {
	if len(a) == 0 || len(b) == 0 {
		return nil
	}
	n := numbers{of: map[string]rune{}, flows: true}
	x, y := bags(&n, before, a), bags(&n, after, b)
	words := 0
	for _, g := range [][]bag{x, y} {
		for _, v := range g {
			words += len(v.words)
		}
	}
	if len(a)*len(b) <= maxPairs && words/(len(a)+len(b))*len(a)*len(b) <= maxWork {
		return best(x, y)
	}
	return near(x, y)
}

// bag is what is compared of a block.
type bag struct {
	kind  Kind
	key   string
	words []rune // sorted
}

func bags(n *numbers, text string, blocks []block) []bag {
	out := make([]bag, len(blocks))
	for i, x := range blocks {
		out[i] = bag{kind: x.kind, key: x.key}
		if x.kind == Property {
			continue
		}
		for _, t := range tokens(x.body(text)) {
			if t.kind == aWord || x.kind == Code && t.kind == aMark {
				out[i].words = append(out[i].words, n.number(t))
			}
		}
		slices.Sort(out[i].words)
	}
	return out
}

// alike says how much two blocks have in common, from 0 to 1; of properties, whether they have the
// same key.
func alike(x, y bag) float64 {
	if x.kind == Property || y.kind == Property {
		if x.kind == y.kind && x.key == y.key && x.key != "" {
			return 1
		}
		return 0
	}
	if family(x.kind) != family(y.kind) || len(x.words)+len(y.words) == 0 {
		return 0
	}
	shared := 0
	for i, j := 0, 0; i < len(x.words) && j < len(y.words); {
		switch {
		case x.words[i] < y.words[j]:
			i++
		case x.words[i] > y.words[j]:
			j++
		default:
			shared, i, j = shared+1, i+1, j+1
		}
	}
	return inCommon(shared, len(x.words), len(y.words))
}

// family are kinds that one passage may change between.
func family(k Kind) Kind {
	if k == Item || k == Quote {
		return Paragraph
	}
	return k
}

// best are the pairs with the most in common together.
func best(x, y []bag) []match {
	// most[i][j] is what the blocks from i and j on have in common at most.
	width := len(y) + 1
	most := make([]float64, (len(x)+1)*width)
	paired := make([]bool, len(most))
	for i := len(x) - 1; i >= 0; i-- {
		for j := len(y) - 1; j >= 0; j-- {
			at := i*width + j
			most[at] = max(most[at+1], most[at+width])
			if s := alike(x[i], y[j]); s >= leastCommon && s+most[at+width+1] > most[at] {
				most[at], paired[at] = s+most[at+width+1], true
			}
		}
	}
	var out []match
	for i, j := 0, 0; i < len(x) && j < len(y); {
		switch at := i*width + j; {
		case paired[at]:
			out = append(out, match{i, j})
			i, j = i+1, j+1
		case most[at+width] >= most[at+1]:
			i++
		default:
			j++
		}
	}
	return out
}

// near are pairs that are found by looking a little ahead in each.
func near(x, y []bag) []match {
	var out []match
	far := min(max(maxLooks/(len(x)+len(y)), 1), lookAhead)
next:
	for i, j := 0, 0; i < len(x) && j < len(y); {
		for ahead := range far {
			switch {
			case i+ahead < len(x) && alike(x[i+ahead], y[j]) >= leastCommon:
				i += ahead
			case j+ahead < len(y) && alike(x[i], y[j+ahead]) >= leastCommon:
				j += ahead
			default:
				continue
			}
			out = append(out, match{i, j})
			i, j = i+1, j+1
			continue next
		}
		i, j = i+1, j+1
	}
	return out
}

// title is a heading without its marks.
func title(heading string) string { return strings.TrimSpace(strings.Trim(heading, "# \t\r")) }
