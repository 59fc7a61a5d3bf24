package glob

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	globlib "github.com/gobwas/glob"

	"chatvault/internal/base/text"
	"chatvault/vault/pathname"
)

// Limits on a glob. With them, and because each segment is compiled separately without separators and braces,
// matching takes linear time.
const (
	MaxBytes        = 512
	maxAlternatives = 64
	maxBraces       = 16   // nesting depth
	maxClass        = 1024 // characters
)

// token is a literal character (kind 0), "*", "?", a class ("[") or "/".
type token struct {
	kind byte
	text string // a wildcard is in the library's syntax
}

// parser holds the unread rest of a pattern.
type parser struct{ rest string }

// take consumes c if it comes next.
func (p *parser) take(c byte) bool {
	if p.rest == "" || p.rest[0] != c {
		return false
	}
	p.rest = p.rest[1:]
	return true
}

// alternatives parses up to the end of the pattern or, at a depth above 0, of the innermost braces. It returns each
// combination of the alternatives in braces.
func (p *parser) alternatives(depth int) ([][]token, error) {
	var done [][]token
	open := [][]token{nil}
	for p.rest != "" {
		switch {
		case p.take('{'):
			if depth == maxBraces {
				return nil, errors.New("its braces are nested too deep")
			}
			inner, err := p.alternatives(depth + 1)
			if err != nil {
				return nil, err
			}
			if len(open)*len(inner) > maxAlternatives {
				return nil, fmt.Errorf("its braces expand to more than %d alternatives", maxAlternatives)
			}
			var both [][]token
			for _, before := range open {
				for _, in := range inner {
					both = append(both, slices.Concat(before, in))
				}
			}
			open = both
		case depth > 0 && p.take(','):
			done, open = append(done, open...), [][]token{nil}
		case p.take('}'):
			if depth == 0 {
				return nil, errors.New(`a "}" has no "{"; write \} for the character`)
			}
			return append(done, open...), nil
		default:
			t, err := p.token()
			if err != nil {
				return nil, err
			}
			for i := range open {
				open[i] = append(open[i], t)
			}
		}
	}
	if depth > 0 {
		return nil, errors.New(`a "{" is not closed; write \{ for the character`)
	}
	return open, nil
}

func (p *parser) token() (token, error) {
	for _, kind := range []byte("*?/") {
		if p.take(kind) {
			return token{kind, string(kind)}, nil
		}
	}
	if p.take('[') {
		class, err := p.class()
		return token{'[', class}, err
	}
	if p.take('\\') && (p.rest == "" || p.rest[0] == '/') {
		return token{}, errors.New(`a \ at the end escapes nothing`)
	}
	return token{text: string(p.char())}, nil
}

func (p *parser) char() rune {
	r, n := utf8.DecodeRuneInString(p.rest)
	p.rest = p.rest[n:]
	return r
}

// class parses a class after its "[" and returns it in the library's syntax with folded members. ^ means the same as
// !, and a leading ] is a member. The library accepts one range or a list of characters, so ranges are expanded,
// except a very long one, which must be of a script without case.
func (p *parser) class() (string, error) {
	begin := "["
	if p.take('!') || p.take('^') {
		begin = "[!"
	}
	var members []rune
	var long string
	size := 0
	for first := true; first || !p.take(']'); first = false {
		lo, err := p.member()
		if err != nil {
			return "", err
		}
		hi := lo
		if strings.HasPrefix(p.rest, "-") && !strings.HasPrefix(p.rest, "-]") {
			p.take('-')
			if hi, err = p.member(); err != nil {
				return "", err
			}
		}
		if hi < lo {
			return "", fmt.Errorf("the range %c-%c in [...] is reversed", lo, hi)
		}
		if size += int(hi-lo) + 1; size > maxClass {
			if !first || !strings.HasPrefix(p.rest, "]") {
				return "", fmt.Errorf("a [...] has more than %d characters", maxClass)
			}
			long = fmt.Sprintf("%c-%c", text.FoldRune(lo), text.FoldRune(hi))
			continue
		}
		for r := lo; r <= hi; r++ {
			// A member whose normal form has several characters cannot match a single one.
			if folded := []rune(pathname.Fold(string(r))); len(folded) == 1 {
				members = append(members, folded[0])
			}
		}
	}
	if long != "" {
		return begin + long + "]", nil
	}
	slices.Sort(members)
	members = slices.Compact(members)
	if i := slices.Index(members, '-'); i >= 0 {
		begin += "-" // the library accepts a literal "-" only unescaped and in first place
		members = slices.Delete(members, i, i+1)
	}
	return begin + Escape(string(members)) + "]", nil
}

// member parses one character of a class.
func (p *parser) member() (rune, error) {
	p.take('\\')
	switch {
	case p.rest == "":
		return 0, errors.New(`a "[" is not closed; write \[ for the character`)
	case p.rest[0] == '/':
		return 0, errors.New(`a "/" cannot be in [...]`)
	}
	return p.char(), nil
}

// Escape returns a glob that matches only this path. The library takes it literally too, also in a class.
func Escape(s string) string {
	var b strings.Builder
	for _, r := range s {
		if strings.ContainsRune(`\*?[]{}!,^`, r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// literal returns the folded text of the leading literal tokens and their number.
func literal(tokens []token) (string, int) {
	var b strings.Builder
	n := 0
	for ; n < len(tokens) && tokens[n].kind == 0; n++ {
		b.WriteString(tokens[n].text)
	}
	return pathname.Fold(b.String()), n
}

// compileSegment compiles a path component with wildcards.
func compileSegment(part []token) (segment, error) {
	star := func(t token) bool { return t.kind == '*' }
	if len(part) == 2 && star(part[0]) && star(part[1]) {
		return segment{deep: true}, nil
	}
	part = slices.CompactFunc(part, func(a, b token) bool { return star(a) && star(b) }) // ** within a name is *
	if suffix, n := literal(part[1:]); star(part[0]) && n == len(part)-1 {
		return segment{any: n == 0, suffix: suffix}, nil
	}
	pattern := ""
	for len(part) > 0 {
		text, n := literal(part)
		pattern, part = pattern+Escape(text), part[n:]
		if len(part) > 0 {
			pattern, part = pattern+part[0].text, part[1:]
		}
	}
	lib, err := globlib.Compile(pattern)
	if err != nil {
		return segment{}, fmt.Errorf("%q is not understood", pattern)
	}
	return segment{lib: lib}, nil
}
