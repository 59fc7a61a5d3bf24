package linematch

import (
	"regexp/syntax"
	"slices"
	"sort"
	"unicode"
	"unicode/utf8"
)

// program is a compiled expression whose runes are grouped into classes that it treats alike.
type program struct {
	inst  []syntax.Inst
	start uint32

	ascii  [utf8.RuneSelf]uint16 // classes of the ASCII runes
	bounds []rune                // first runes of the intervals, ascending from 0
	class  []uint16              // class of each interval
	sample []rune                // one rune of each class
}

func newProgram(p *syntax.Prog) *program {
	pr := &program{inst: p.Inst, start: uint32(p.Start)}
	sets := runeSets(p)
	bounds := []rune{0}
	for _, s := range sets {
		for i := 0; i < len(s); i += 2 {
			bounds = append(bounds, s[i])
			if s[i+1] < unicode.MaxRune {
				bounds = append(bounds, s[i+1]+1)
			}
		}
	}
	slices.Sort(bounds)
	pr.bounds = slices.Compact(bounds)

	// Split the classes by one set after another: intervals share a class as long as each set contains both or
	// neither.
	pr.class = make([]uint16, len(pr.bounds))
	for _, s := range sets {
		type side struct {
			class uint16
			in    bool
		}
		ids := map[side]uint16{}
		at := 0
		for i, lo := range pr.bounds {
			for at < len(s) && s[at+1] < lo {
				at += 2
			}
			key := side{pr.class[i], at < len(s) && s[at] <= lo}
			id, ok := ids[key]
			if !ok {
				id = uint16(len(ids))
				ids[key] = id
			}
			pr.class[i] = id
		}
	}
	for i, c := range pr.class {
		for int(c) >= len(pr.sample) {
			pr.sample = append(pr.sample, -1)
		}
		if pr.sample[c] < 0 {
			pr.sample[c] = pr.bounds[i]
		}
	}
	for r := range pr.ascii {
		pr.ascii[r] = pr.classOf(rune(r))
	}
	return pr
}

// classOf returns the class of r.
func (pr *program) classOf(r rune) uint16 {
	i := sort.Search(len(pr.bounds), func(i int) bool { return pr.bounds[i] > r })
	return pr.class[i-1]
}

// runeSets returns the distinct sets of runes that the program distinguishes, each as ascending, disjoint pairs lo,
// hi.
func runeSets(p *syntax.Prog) [][]rune {
	var sets [][]rune
	seen := map[string]bool{}
	add := func(s []rune) {
		if key := string(s); !seen[key] {
			seen[key] = true
			sets = append(sets, s)
		}
	}
	for i := range p.Inst {
		in := &p.Inst[i]
		switch in.Op {
		case syntax.InstRune, syntax.InstRune1:
			if len(in.Rune) != 1 {
				add(in.Rune)
				continue
			}
			r := in.Rune[0]
			set := []rune{r, r}
			if in.Op == syntax.InstRune && syntax.Flags(in.Arg)&syntax.FoldCase != 0 {
				for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
					set = append(set, f, f)
				}
				slices.Sort(set)
			}
			add(set)
		case syntax.InstRuneAnyNotNL:
			add([]rune{'\n', '\n'})
		case syntax.InstEmptyWidth:
			if syntax.EmptyOp(in.Arg)&(syntax.EmptyWordBoundary|syntax.EmptyNoWordBoundary) != 0 {
				add([]rune{'0', '9', 'A', 'Z', '_', '_', 'a', 'z'})
			}
		}
	}
	return sets
}
