package glob

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	globlib "github.com/gobwas/glob"

	"chatvault/vault/fold"
)

// expandBraces writes the alternatives of {a,b} out, nested ones too.
func expandBraces(pattern string) ([]string, error) {
	open, comma, end, err := firstBraces(pattern)
	if err != nil || open < 0 {
		return []string{pattern}, err
	}
	rest, err := expandBraces(pattern[end+1:])
	if err != nil {
		return nil, err
	}
	var all []string
	for i := range len(comma) - 1 {
		inner, err := expandBraces(pattern[comma[i]+1 : comma[i+1]])
		if err != nil {
			return nil, err
		}
		for _, in := range inner {
			for _, after := range rest {
				if len(all) == maxAlternatives {
					return nil, fmt.Errorf("its braces expand to more than %d alternatives", maxAlternatives)
				}
				all = append(all, pattern[:open]+in+after)
			}
		}
	}
	return all, nil
}

// firstBraces finds the first outermost braces: where they open, the places before and
// after each alternative (the braces and the commas), and where they close. open is -1
// when there are none.
func firstBraces(pattern string) (open int, cuts []int, end int, err error) {
	open = -1
	depth := 0
	for i := 0; i < len(pattern); i++ {
		switch pattern[i] {
		case '\\':
			i++
		case '[':
			_, width, err := parseClass(pattern[i:])
			if err != nil {
				return 0, nil, 0, err
			}
			i += width - 1
		case '{':
			if depth++; depth == 1 {
				open, cuts = i, []int{i}
			}
			if depth > 16 {
				return 0, nil, 0, errors.New("its braces are nested too deep")
			}
		case ',':
			if depth == 1 {
				cuts = append(cuts, i)
			}
		case '}':
			if depth == 0 {
				return 0, nil, 0, errors.New(`a "}" has no "{"; write \} for the character`)
			}
			if depth--; depth == 0 {
				return open, append(cuts, i), i, nil
			}
		}
	}
	if depth > 0 {
		return 0, nil, 0, errors.New(`a "{" is not closed; write \{ for the character`)
	}
	return -1, nil, 0, nil
}

// class is a parsed [...]: pairs lo, hi.
type class struct {
	not    bool
	ranges []rune
}

// parseClass parses the class s begins with and returns its width in bytes. ^ is taken
// for !, and a ] that comes first is a member.
func parseClass(s string) (c class, width int, err error) {
	unclosed := errors.New(`a "[" is not closed; write \[ for the character`)
	i := 1
	if i < len(s) && (s[i] == '!' || s[i] == '^') {
		c.not = true
		i++
	}
	member := func() (rune, error) {
		if i < len(s) && s[i] == '\\' {
			i++
		}
		if i >= len(s) {
			return 0, unclosed
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		i += n
		if r == '/' {
			return 0, errors.New(`a "/" cannot be in [...]`)
		}
		return r, nil
	}
	for first := true; ; first = false {
		if i >= len(s) {
			return c, 0, unclosed
		}
		if s[i] == ']' && !first {
			return c, i + 1, nil
		}
		lo, err := member()
		if err != nil {
			return c, 0, err
		}
		hi := lo
		if i+1 < len(s) && s[i] == '-' && s[i+1] != ']' {
			i++
			if hi, err = member(); err != nil {
				return c, 0, err
			}
			if hi < lo {
				return c, 0, fmt.Errorf("the range %c-%c in [...] is reversed", lo, hi)
			}
		}
		c.ranges = append(c.ranges, lo, hi)
	}
}

// maxClass bounds the members a class is written out to.
const maxClass = 1024

// write appends the class in the library's syntax, members folded as names are. The
// library knows one range or a list of characters, so all but a very long range (of a
// script without case, then) is written out.
func (c class) write(b *strings.Builder) error {
	total := 0
	for i := 0; i < len(c.ranges); i += 2 {
		total += int(c.ranges[i+1]-c.ranges[i]) + 1
	}
	b.WriteByte('[')
	if c.not {
		b.WriteByte('!')
	}
	if total > maxClass {
		if len(c.ranges) > 2 {
			return fmt.Errorf("a [...] has more than %d characters", maxClass)
		}
		fmt.Fprintf(b, "%c-%c]", fold.Rune(c.ranges[0]), fold.Rune(c.ranges[1]))
		return nil
	}
	var members []rune
	for i := 0; i < len(c.ranges); i += 2 {
		for r := c.ranges[i]; r <= c.ranges[i+1]; r++ {
			// A member whose normal form is several characters can match no single one.
			if folded := []rune(fold.Name(string(r))); len(folded) == 1 {
				members = append(members, folded[0])
			}
		}
	}
	slices.Sort(members)
	if slices.Contains(members, '-') {
		b.WriteByte('-') // the library takes it as it is only where it comes first, and bare
	}
	for _, r := range slices.Compact(members) {
		if r != '-' {
			writeLiteral(b, r)
		}
	}
	b.WriteByte(']')
	return nil
}

// writeLiteral appends a character so that the library takes it as it is, in a class too.
func writeLiteral(b *strings.Builder, r rune) {
	if r < utf8.RuneSelf && strings.ContainsRune(`\*?[]{}!,^`, r) {
		b.WriteByte('\\')
	}
	b.WriteRune(r)
}

// compileSegment compiles what stands between two slashes.
func compileSegment(part string) (segment, error) {
	var out strings.Builder // in the library's syntax
	var run strings.Builder // literal characters not yet folded
	var literals []string   // the runs, folded
	stars, wild := 0, 0     // stars, and all wildcards
	startsWithStar := false
	flush := func() {
		if run.Len() == 0 {
			return
		}
		folded := fold.Name(run.String())
		literals = append(literals, folded)
		for _, r := range folded {
			writeLiteral(&out, r)
		}
		run.Reset()
	}
	star := false // the last token was one: ** within a name is *
	for i := 0; i < len(part); {
		after := i + 1
		wasStar := star
		star = false
		switch part[i] {
		case '*':
			flush()
			if star = true; !wasStar {
				out.WriteByte('*')
				startsWithStar = startsWithStar || i == 0
				stars++
				wild++
			}
		case '?':
			flush()
			out.WriteByte('?')
			wild++
		case '[':
			flush()
			c, width, err := parseClass(part[i:])
			if err != nil {
				return segment{}, err
			}
			if err := c.write(&out); err != nil {
				return segment{}, err
			}
			after = i + width
			wild++
		case '\\':
			if i+1 == len(part) {
				return segment{}, errors.New(`a \ at the end escapes nothing`)
			}
			_, n := utf8.DecodeRuneInString(part[i+1:])
			run.WriteString(part[i+1 : i+1+n])
			after = i + 1 + n
		default:
			_, n := utf8.DecodeRuneInString(part[i:])
			run.WriteString(part[i : i+n])
			after = i + n
		}
		i = after
	}
	flush()
	switch {
	case wild == 0:
		return segment{exact: literals[0]}, nil
	case wild == 1 && stars == 1 && len(literals) == 0:
		return segment{any: true}, nil
	case wild == 1 && startsWithStar:
		return segment{suffix: literals[0]}, nil
	}
	lib, err := globlib.Compile(out.String())
	if err != nil {
		return segment{}, fmt.Errorf("%q is not understood", part)
	}
	return segment{lib: lib}, nil
}
