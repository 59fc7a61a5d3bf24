package terminal

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// maxExtending bounds the marks and joiners on one base or in one emoji. Real spelling needs at most five or six,
	// and a family with skin tones seven; xterm before 367 could be made to run code by thousands.
	maxExtending = 8

	// startOfLine is the base at the start of a line, where a mark would combine with whatever the screen shows
	// before it.
	startOfLine rune = 0
)

// cleaner is the state between two runes; the zero value is at the start of a line.
type cleaner struct {
	form form
	base rune // the last rune that marks can combine with
	last rune // the last rune kept
	run  int  // marks combined with base, and joiners
	held rune // a pending joiner, kept or dropped by the next rune
	cr   bool // a carriage return pending a line feed

	named int // invisible characters shown by code
}

// feed appends the safe form of s to out. Unless end is set, it leaves an incomplete rune unread and returns its
// bytes.
func (c *cleaner) feed(out []byte, s string, end bool) (safe []byte, rest string) {
	for i := 0; i < len(s); {
		b := s[i]
		if b < utf8.RuneSelf {
			i++
			if b-0x20 < 0x5f && c.held == 0 && !c.cr {
				out = append(out, b)
				c.settle(rune(b))
				continue
			}
			out = c.step(out, rune(b))
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 {
			if !end && !utf8.FullRuneInString(s[i:]) {
				return out, s[i:]
			}
			out = c.invalid(c.release(out, 0), b)
			i++
			continue
		}
		out = c.step(out, r)
		i += n
	}
	if end {
		out = c.release(out, 0)
	}
	return out, ""
}

// settle makes r the base for following marks.
func (c *cleaner) settle(r rune) {
	if r == '\n' || r == '\t' { // a mark cannot combine with a tab either
		r = startOfLine
	}
	c.base, c.last, c.run = r, r, 0
}

func (c *cleaner) step(out []byte, r rune) []byte {
	if c.cr && r == '\n' {
		c.cr = false // CR LF is one line end
	} else {
		out = c.release(out, r)
	}
	k := classify(r)
	if k == blank && c.form&strict == 0 {
		k = plain
	}
	switch k {
	case plain:
		joined, run := c.last == zwj && isPictograph(r), c.run
		if c.settle(r); joined {
			c.run = run
		}
		return utf8.AppendRune(out, r)
	case lineEnd:
		return c.lineEnd(out, r)
	case control:
		return c.control(out, r)
	case extending:
		return c.extend(out, r)
	case joiner:
		c.held = r
		return out
	case selector:
		if c.last == c.base && (isPictograph(c.base) || c.base < utf8.RuneSelf && strings.ContainsRune("0123456789#*", c.base)) {
			if c.base < utf8.RuneSelf {
				c.held = r // may begin a keycap
				return out
			}
			c.last = r
			return utf8.AppendRune(out, r)
		}
	}
	return c.drop(out, r)
}

// release decides about a pending rune, given the next rune r (0 at the end).
func (c *cleaner) release(out []byte, r rune) []byte {
	if c.cr {
		c.cr = false
		out = c.symbol(out, '\r')
	}
	j := c.held
	if j == 0 {
		return out
	}
	c.held = 0
	switch {
	case j == emojiSelector && r == keycap:
	case r == 0 || c.base < 0x80 || !joins(c.base, j, r):
		return c.drop(out, j)
	default:
		if c.run++; c.run > maxExtending {
			return c.drop(out, j)
		}
	}
	c.last = j
	return utf8.AppendRune(out, j)
}

func (c *cleaner) lineEnd(out []byte, r rune) []byte {
	if c.form&strict != 0 && r != '\n' {
		return c.drop(out, r)
	}
	switch c.form {
	case oneLine | strict:
		return c.symbol(out, r)
	case oneLine, inLine:
		c.settle(' ')
		return append(out, ' ')
	}
	c.settle('\n')
	return append(out, '\n')
}

func (c *cleaner) control(out []byte, r rune) []byte {
	switch {
	case r == '\r':
		c.cr = true
		return out
	case r == '\t' && c.form&oneLine == 0:
		c.settle(r)
		return append(out, '\t')
	case r == '\t' && c.form&strict == 0:
		c.settle(' ')
		return append(out, ' ')
	case r >= 0x80 && c.form&strict != 0:
		return c.name(out, r)
	}
	return c.symbol(out, r)
}

// symbol appends a control character's picture; those of C1 have none.
func (c *cleaner) symbol(out []byte, r rune) []byte {
	switch {
	case r < 0x20:
		r += 0x2400
	case r == 0x7f:
		r = 0x2421
	default:
		r = utf8.RuneError
	}
	c.settle(r)
	return utf8.AppendRune(out, r)
}

// extend keeps a rune that combines with the base, up to maxExtending of them.
func (c *cleaner) extend(out []byte, r rune) []byte {
	if c.base == startOfLine {
		c.settle(dottedCircle)
		out = utf8.AppendRune(out, dottedCircle)
	}
	if c.run++; c.run > maxExtending {
		if c.form&strict != 0 {
			c.named++
			return fmt.Appendf(out, "<U+%04X>", r)
		}
		return out
	}
	c.last = r
	return utf8.AppendRune(out, r)
}

// drop omits a rune; in strict form it is shown by code.
func (c *cleaner) drop(out []byte, r rune) []byte {
	if c.form&strict == 0 {
		return out
	}
	return c.name(out, r)
}

func (c *cleaner) name(out []byte, r rune) []byte {
	c.settle('>')
	c.named++
	return fmt.Appendf(out, "<U+%04X>", r)
}

func (c *cleaner) invalid(out []byte, b byte) []byte {
	if c.form&strict != 0 {
		c.settle('>')
		return fmt.Appendf(out, "<0x%02X>", b)
	}
	c.settle(utf8.RuneError)
	return utf8.AppendRune(out, utf8.RuneError)
}

// class is a rune's treatment.
type class uint8

const (
	plain     class = iota // kept
	extending              // kept, up to maxExtending on one base
	control                // shown as a symbol
	lineEnd                // becomes a line feed
	hidden                 // dropped
	blank                  // kept, but looks like a space
	joiner                 // kept between runes that it can join
	selector               // kept after a rune that it can select
)

const (
	zwnj          = '\u200c'
	zwj           = '\u200d'
	textSelector  = '\ufe0e'
	emojiSelector = '\ufe0f'
	keycap        = '\u20e3' // follows a digit and the emoji selector
	dottedCircle  = '\u25cc' // Unicode's base for a mark without one
)

// classify returns a rune's class. Ordinary ASCII is handled by the callers.
func classify(r rune) class {
	switch {
	case r < 0xa0:
		switch {
		case r == 0x85, r == '\n':
			return lineEnd
		case r < 0x20, r >= 0x7f:
			return control
		}
		return plain
	case r < 0x300:
		switch r {
		case 0xad: // soft hyphen
			return hidden
		case 0xa0:
			return blank
		}
		return plain
	case r >= 0x3041 && r < 0xa000 && r != 0x3099 && r != 0x309a && r != 0x3164, r >= 0xac00 && r < 0xd7a4:
		return plain // kana, Han, Hangul: most non-ASCII text
	case r == 0x2028, r == 0x2029:
		return lineEnd
	case r == zwj, r == zwnj:
		return joiner
	case r == textSelector, r == emojiSelector:
		return selector
	case isHidden(r):
		return hidden
	case r != 0x3000 && isBlank(r):
		return blank
	case extends(r):
		return extending
	}
	return plain
}

// isHidden reports whether a rune is invisible and can only mislead: formats (bidi controls, zero-width, tags),
// fillers, selectors, noncharacters.
func isHidden(r rune) bool {
	return r == 0x16fe4 || r == 0x1d159 || // fillers
		!isPrepended(r) && unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector, unicode.Noncharacter_Code_Point)
}

// isPrepended reports whether a rune is a visible format character: number and verse signs of Arabic, Syriac and
// Kaithi, which precede their digits.
func isPrepended(r rune) bool { return unicode.Is(unicode.Prepended_Concatenation_Mark, r) }

// extends reports whether a rune combines with the one before it in its cell: marks, skin tones, half-width voicing
// marks, vowels and final consonants of Hangul.
func extends(r rune) bool {
	switch {
	case r >= 0x1f3fb && r <= 0x1f3ff, r == 0xff9e, r == 0xff9f:
		return true
	case r > 0x1160 && r <= 0x11ff, r >= 0xd7b0 && r <= 0xd7fb:
		return true
	}
	return isPrepended(r) || unicode.Is(unicode.M, r)
}

// isPictograph approximates Extended_Pictographic of Unicode's emoji-data.txt. The extra entries are harmless, since it
// only decides where a joiner or a selector may stay.
func isPictograph(r rune) bool {
	return r >= 0x2194 && r <= 0x23ff || r >= 0x24c2 && r <= 0x27bf || r >= 0x2934 && r <= 0x2b55 || r >= 0x1f000 && r <= 0x1f3fa || r >= 0x1f400 && r <= 0x1faff ||
		r >= 0xa9 && strings.ContainsRune("©®‼⁉™ℹ〰〽㊗㊙", r)
}

// joining lists the scripts whose spelling needs the joiners.
var joining = []*unicode.RangeTable{
	unicode.Arabic, unicode.Syriac, unicode.Mandaic, unicode.Nko, unicode.Mongolian, unicode.Phags_Pa,
	unicode.Devanagari, unicode.Bengali, unicode.Gurmukhi, unicode.Gujarati, unicode.Oriya, unicode.Tamil,
	unicode.Telugu, unicode.Kannada, unicode.Malayalam, unicode.Sinhala, unicode.Tibetan, unicode.Myanmar,
	unicode.Khmer, unicode.Balinese, unicode.Javanese, unicode.Chakma, unicode.Adlam, unicode.Hanifi_Rohingya,
}

// joins reports whether joiner j has an effect between the runes a and b.
func joins(a, j, b rune) bool {
	if j == zwj && isPictograph(a) && isPictograph(b) {
		return true
	}
	return a >= 0x600 && b >= 0x600 && unicode.In(a, joining...) && unicode.In(b, joining...)
}
