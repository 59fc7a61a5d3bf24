package find

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// pattern is what is looked for. It is compared with a text as a reader sees it: the marks of
// Markdown are passed over, unless they are looked for, and so are line ends, and how much space
// there is; letters are compared without case, unless one of those looked for is a capital.
type pattern struct {
	typed  string
	needle []byte // folded
	exact  bool   // case counts
	drop   [utf8.RuneSelf]bool
}

// marks are what Markdown marks text by, and what stands for it in what is drawn.
const marks = "*_`~=[]|>\\"

// newPattern makes a pattern of what was typed.
func newPattern(typed string) pattern {
	p := pattern{typed: typed}
	for _, r := range typed {
		p.exact = p.exact || unicode.IsUpper(r) || unicode.IsTitle(r)
	}
	for _, r := range marks {
		p.drop[r] = !strings.ContainsRune(typed, r)
	}
	p.needle = p.fold(nil, []byte(typed))
	if len(bytes.TrimSpace(p.needle)) == 0 {
		p.needle = nil
	}
	return p
}

// empty says that nothing is looked for.
func (p *pattern) empty() bool { return len(p.needle) == 0 }

// fold appends a text as it is compared.
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

// foldRune appends a character that is not of ASCII. What draws lines is left out, as are characters
// of no width.
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

// count is how often the pattern is in a text; buf is used for what is made of it, and returned.
func (p *pattern) count(text, buf []byte) (int, []byte) {
	if p.empty() {
		return 0, buf
	}
	buf = p.fold(buf[:0], text)
	return bytes.Count(buf, p.needle), buf
}
