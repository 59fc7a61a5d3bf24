package find

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// pattern is a search pattern: texts of which any may match. They are compared with a text as it appears to a reader:
// Markdown marks are ignored unless the pattern contains them, as are line breaks and the amount of space. Case is
// ignored unless the pattern contains a capital letter.
type pattern struct {
	typed   string
	needles [][]byte // folded
	exact   bool     // case-sensitive
	drop    [utf8.RuneSelf]bool
}

// marks are Markdown's marks and the characters drawn in their place.
const marks = "*_`~=[]|>\\"

// newPattern returns the pattern that finds the given parts of a typed text.
func newPattern(typed string, texts ...string) pattern {
	p := pattern{typed: typed}
	for _, r := range typed {
		p.exact = p.exact || unicode.IsUpper(r) || unicode.IsTitle(r)
	}
	for _, r := range marks {
		p.drop[r] = !strings.ContainsRune(typed, r)
	}
	for _, text := range texts {
		if needle := p.fold(nil, []byte(text)); len(bytes.TrimSpace(needle)) > 0 {
			p.needles = append(p.needles, needle)
		}
	}
	return p
}

// empty reports whether there is nothing to search for.
func (p *pattern) empty() bool { return len(p.needles) == 0 }

// fold appends the comparable form of a text.
func (p *pattern) fold(b, text []byte) []byte {
	if !isASCII(text) && !norm.NFC.IsNormal(text) {
		text = norm.NFC.Bytes(text)
	}
	for i := 0; i < len(text); {
		c := text[i]
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRune(text[i:])
			b = p.foldRune(b, r)
			i += n
			continue
		}
		i++
		switch {
		case c <= ' ':
			b = addSpace(b)
		case p.drop[c]:
		case c >= 'A' && c <= 'Z' && !p.exact:
			b = append(b, c+'a'-'A')
		default:
			b = append(b, c)
		}
	}
	return b
}

// foldRune appends a non-ASCII character. Box drawing and zero-width characters are omitted.
func (p *pattern) foldRune(b []byte, r rune) []byte {
	switch {
	case unicode.IsSpace(r):
		return addSpace(b)
	case r >= 0x2500 && r < 0x25a0, r == 0x200b, r == 0xfeff, r == utf8.RuneError:
		return b
	case !p.exact:
		r = unicode.ToLower(r)
	}
	return utf8.AppendRune(b, r)
}

func addSpace(b []byte) []byte {
	if n := len(b); n > 0 && b[n-1] == ' ' {
		return b
	}
	return append(b, ' ')
}

func isASCII(b []byte) bool {
	for _, c := range b {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// count returns the number of matches in a text and of the needles that match. buf is scratch space and is returned
// for reuse.
func (p *pattern) count(text, buf []byte) (matches, needles int, folded []byte) {
	buf = p.fold(buf[:0], text)
	for _, needle := range p.needles {
		n := bytes.Count(buf, needle)
		matches += n
		needles += min(n, 1)
	}
	return matches, needles, buf
}
