package linematch

import (
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxSequences limits the sequences of a set.
const maxSequences = 8

// part describes the texts that a part of an expression matches.
type part struct {
	set     []sequence // every text contains one of these; nil if none are known
	whole   bool       // every text is one of these
	loose   bool       // the set also occurs elsewhere, so it does not decide alone
	special bool       // the set leaves out a rune of specialRunes
}

// required returns a finder of sequences that every match of the expression contains, or nil if there are none. The
// construction follows R. Cox, "Regular Expression Matching with a Trigram Index", 2012.
func required(re *syntax.Regexp) *finder {
	in := analyse(re)
	if rarityOf(in.set) == 0 {
		return nil
	}
	return newFinder(in.set, in.whole && !in.loose, in.special)
}

func analyse(re *syntax.Regexp) part {
	switch re.Op {
	case syntax.OpLiteral:
		c := begin()
		for _, r := range re.Rune {
			spellings := []rune{r}
			for f := unicode.SimpleFold(r); f != r && re.Flags&syntax.FoldCase != 0; f = unicode.SimpleFold(f) {
				spellings = append(spellings, f)
			}
			c.add(oneOf(spellings))
		}
		return c.end()
	case syntax.OpCharClass:
		var members []rune
		for i := 0; i < len(re.Rune); i += 2 {
			for r := re.Rune[i]; r <= re.Rune[i+1]; r++ {
				if members = append(members, r); len(members) > 2*utf8.RuneSelf {
					return part{}
				}
			}
		}
		return oneOf(members)
	case syntax.OpCapture:
		return analyse(re.Sub[0])
	case syntax.OpConcat:
		return concat(re.Sub...)
	case syntax.OpPlus:
		return concat(re)
	case syntax.OpAlternate:
		return alternate(re.Sub)
	case syntax.OpEmptyMatch:
		return part{set: []sequence{{}}, whole: true}
	case syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText, syntax.OpEndText, syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return part{set: []sequence{{}}, whole: true, loose: true}
	}
	return part{} // stars, options, any rune
}

// oneOf returns the part that matches one of several runes. Only runes of the same length in UTF-8 make a sequence.
func oneOf(runes []rune) part {
	in := part{whole: true}
	var s sequence
	for _, r := range runes {
		switch {
		case strings.ContainsRune(specialRunes, r) && len(runes) > 1:
			in.special = true
			continue
		case r == '\n':
			continue
		case r == utf8.RuneError || !utf8.ValidRune(r): // matches any invalid byte
			return part{}
		}
		text := string(r)
		if s == nil {
			s = make(sequence, len(text))
		}
		if len(text) != len(s) {
			return part{}
		}
		for i := range len(text) {
			if strings.IndexByte(s[i], text[i]) < 0 {
				s[i] += text[i : i+1]
			}
		}
		in.loose = in.loose || r == '\r' || len(text) > 1 && len(runes) > 1 // "\r" may be part of a line ending
	}
	if s == nil {
		return part{}
	}
	in.set = []sequence{s}
	return in
}

// concatenation collects the parts of a concatenation.
type concatenation struct {
	part            // with the sequences of the parts since the last interruption
	best []sequence // the rarest set before
}

func begin() concatenation { return concatenation{part: part{set: []sequence{{}}, whole: true}} }

// add adds the next part.
func (c *concatenation) add(in part) {
	c.loose, c.special = c.loose || in.loose, c.special || in.special
	if !in.whole {
		c.interrupt()
		c.best = rarer(c.best, in.set)
		return
	}
	if len(c.set)*len(in.set) > maxSequences {
		c.interrupt()
	}
	var set []sequence
	for _, x := range c.set {
		for _, y := range in.set {
			set = append(set, slices.Concat(x, y))
		}
	}
	c.set = set
}

// interrupt ends the sequences: the next part need not follow them.
func (c *concatenation) interrupt() {
	c.best = rarer(c.best, c.set)
	c.set, c.whole = []sequence{{}}, false
}

func (c *concatenation) end() part {
	if !c.whole {
		c.set = rarer(c.best, c.set)
	}
	return c.part
}

func concat(subs ...*syntax.Regexp) part {
	c := begin()
	for _, sub := range subs {
		if sub.Op != syntax.OpPlus {
			c.add(analyse(sub))
			continue
		}
		repeated := analyse(sub.Sub[0])
		c.add(repeated) // a sequence may end in the first repetition and begin in the last one
		c.interrupt()
		c.add(repeated)
	}
	return c.end()
}

func alternate(subs []*syntax.Regexp) part {
	in := part{whole: true}
	for _, sub := range subs {
		one := analyse(sub)
		if one.set == nil || len(in.set)+len(one.set) > maxSequences {
			return part{}
		}
		in.set = append(in.set, one.set...)
		in.whole, in.loose, in.special = in.whole && one.whole, in.loose || one.loose, in.special || one.special
	}
	return in
}

// rarer returns the set that occurs less often.
func rarer(a, b []sequence) []sequence {
	if rarityOf(b) > rarityOf(a) {
		return b
	}
	return a
}

// rarityOf returns how rare the most frequent sequence of a set is, in bits; 0 if the set is of no use.
func rarityOf(set []sequence) float64 {
	lowest := 0.0
	for i, s := range set {
		bits := 0.0
		for _, class := range s {
			bits += rarity(class)
		}
		if i == 0 || bits < lowest {
			lowest = bits
		}
	}
	return lowest
}
