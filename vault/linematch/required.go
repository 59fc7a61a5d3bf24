package linematch

import (
	"cmp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"chatvault/internal/text"
)

// literals is a small set of byte strings; every match contains one of them.
type literals struct {
	set  []string
	fold bool // ASCII letters match in either case; the set is in lower case
	// exact is set if a line matches if and only if it contains one of the set.
	exact bool
	// kelvin and longS are set if the set has a folding k or s. These also match U+212A and U+017F, so the set does
	// not cover a text with one of these runes.
	kelvin, longS bool
}

// maxSet limits the literals to look for; with more, the automaton is as fast.
const maxSet = 8

// required returns the rarest set of literals that the expression requires, or nil if none is worth a search. The
// construction follows R. Cox, "Regular Expression Matching with a Trigram Index", 2012.
func required(re *syntax.Regexp) *literals {
	in := analyse(re)
	best := in.best
	exact := false
	if in.all != nil && !better(best, in.all) {
		best, exact = in.all, true
	}
	if best == nil {
		return nil
	}
	l := &literals{exact: exact}
	for _, p := range best {
		l.fold = l.fold || p.fold
		l.kelvin = l.kelvin || p.kelvin
		l.longS = l.longS || p.longS
	}
	for _, p := range best {
		text := p.text
		if l.fold && !p.fold {
			if lower := asciiLower(text); lower != text || hasASCIILetter(text) {
				l.exact, text = false, lower // matches more lines than the expression
			}
		}
		if strings.Contains(text, "\r") {
			l.exact = false // it may belong to a line ending, which is not part of a line
		}
		l.set = append(l.set, text)
	}
	slices.Sort(l.set)
	l.set = slices.Compact(l.set)
	if common := shared(l.set); len(l.set) > 1 && len(common) >= 3 && cost([]string{common}, l.fold) < cost(l.set, l.fold) {
		l.set, l.exact = []string{common}, false
	}
	if cost(l.set, l.fold) > automatonCost {
		return nil
	}
	return l
}

// piece is a string of a set, with the case rules of its ASCII letters.
type piece struct {
	text          string
	fold          bool
	kelvin, longS bool
}

// info describes the strings that a part of an expression matches.
type info struct {
	all  []piece // exactly these, if not nil
	best []piece // every match contains one of these, if not nil
}

// emptyInfo matches only the empty string.
var emptyInfo = info{all: []piece{{}}}

func analyse(re *syntax.Regexp) info {
	switch re.Op {
	case syntax.OpLiteral:
		in := emptyInfo
		for _, r := range re.Rune {
			in = concat(in, info{all: runePieces(r, re.Flags&syntax.FoldCase != 0)})
		}
		return in
	case syntax.OpCharClass:
		var all []piece
		for i := 0; i < len(re.Rune); i += 2 {
			if int(re.Rune[i+1]-re.Rune[i])+len(all) >= 2*maxSet {
				return info{}
			}
			for r := re.Rune[i]; r <= re.Rune[i+1]; r++ {
				// Invalid bytes match like U+FFFD: no string represents them.
				if r == '\n' || r == utf8.RuneError || !utf8.ValidRune(r) {
					return info{}
				}
				all = append(all, piece{text: string(r)})
			}
		}
		return info{all: fewer(all)}
	case syntax.OpCapture:
		return analyse(re.Sub[0])
	case syntax.OpConcat:
		in := emptyInfo
		for _, sub := range re.Sub {
			in = concat(in, analyse(sub))
		}
		return in
	case syntax.OpAlternate:
		return alternate(re.Sub)
	case syntax.OpPlus:
		in := analyse(re.Sub[0])
		return info{best: choose(in.best, in.all)}
	case syntax.OpRepeat:
		if re.Min > 0 {
			in := analyse(re.Sub[0])
			return info{best: choose(in.best, in.all)}
		}
	case syntax.OpEmptyMatch:
		return emptyInfo
	}
	return info{} // stars, options, any rune, assertions
}

// runePieces returns the spellings of a rune: one, unless case is ignored and it has several outside ASCII.
func runePieces(r rune, fold bool) []piece {
	if r == utf8.RuneError || !utf8.ValidRune(r) {
		return nil
	}
	if !fold {
		return []piece{{text: string(r)}}
	}
	var ascii rune
	var all []piece
	for f := r; ; {
		if f < utf8.RuneSelf {
			ascii = unicode.ToLower(f)
		}
		all = append(all, piece{text: string(f)})
		if f = unicode.SimpleFold(f); f == r {
			break
		}
	}
	if ascii == 0 || len(all) == 1 {
		return all
	}
	return []piece{{text: string(ascii), fold: true, kelvin: ascii == 'k', longS: ascii == 's'}}
}

// concat returns the info of a followed by b.
func concat(a, b info) info {
	best := choose(a.best, b.best)
	if a.all != nil && b.all != nil && len(a.all)*len(b.all) <= 2*maxSet {
		var all []piece
		for _, x := range a.all {
			for _, y := range b.all {
				if y.text == "" {
					all = append(all, x)
					continue
				}
				if x.text == "" {
					all = append(all, y)
					continue
				}
				// A piece cannot fold one half and not the other.
				if x.fold != y.fold && hasASCIILetter(x.text) && hasASCIILetter(y.text) {
					return info{best: choose(best, choose(a.all, b.all))}
				}
				all = append(all, piece{x.text + y.text, x.fold || y.fold, x.kelvin || y.kelvin, x.longS || y.longS})
			}
		}
		return info{all: fewer(all), best: best}
	}
	// The run of known strings ends here; keep the better side of the seam.
	return info{best: choose(best, choose(a.all, b.all))}
}

func alternate(subs []*syntax.Regexp) info {
	var all, best []piece
	known := true
	for _, sub := range subs {
		in := analyse(sub)
		pick := choose(in.best, in.all)
		if known = known && in.all != nil; known {
			all = append(all, in.all...)
		}
		if pick == nil || len(best)+len(pick) > 2*maxSet {
			return info{}
		}
		best = append(best, pick...)
	}
	in := info{best: fewer(best)}
	if known {
		in.all = fewer(all)
	}
	return in
}

// fewer removes duplicates. It returns nil if the set is too large to be of use.
func fewer(set []piece) []piece {
	slices.SortFunc(set, func(a, b piece) int { return cmp.Compare(a.text, b.text) })
	set = slices.Compact(set)
	if len(set) > 2*maxSet {
		return nil
	}
	return set
}

// choose returns the better of two sets to search for; either may be nil.
func choose(a, b []piece) []piece {
	if better(b, a) {
		return b
	}
	return a
}

// better reports whether a is cheaper to search for than b. A set with an empty string is useless.
func better(a, b []piece) bool {
	return pieceCost(a) < pieceCost(b)
}

func pieceCost(set []piece) float64 {
	if len(set) == 0 {
		return useless
	}
	texts := make([]string, len(set))
	fold := false
	for i, p := range set {
		texts[i], fold = p.text, fold || p.fold
	}
	return cost(texts, fold)
}

// shared returns the longest common prefix or suffix of a set, whichever is longer. It may split runes, because the
// search is for bytes.
func shared(set []string) string {
	prefix, suffix := set[0], set[0]
	for _, s := range set[1:] {
		prefix = prefix[:text.CommonPrefix(prefix, s)]
		n := 0
		for n < len(suffix) && n < len(s) && suffix[len(suffix)-1-n] == s[len(s)-1-n] {
			n++
		}
		suffix = suffix[len(suffix)-n:]
	}
	if len(suffix) > len(prefix) {
		return suffix
	}
	return prefix
}

func asciiLower(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}

func hasASCIILetter(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return 'a' <= r|0x20 && r|0x20 <= 'z' })
}
