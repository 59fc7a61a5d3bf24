package terminal

import (
	"fmt"
	"unicode/utf8"
)

const (
	// maxExtending bounds the marks on one base. Real spelling needs at most
	// five or six; xterm before 367 could be made to run code by thousands.
	maxExtending = 8
	// maxJoined bounds the joiners between pictographs. The longest emoji, a
	// kiss of two people with skin tones, has three.
	maxJoined = 4

	// startOfLine is the base at the start of a line: a mark there would settle
	// on whatever the screen shows before it.
	startOfLine rune = -1
)

// cleaner is where cleaning stands between two runes.
type cleaner struct {
	form form
	base rune // the last rune that others can settle on
	last rune // the last rune kept; 0 at the start
	run  int  // runes that have settled on base
	join int  // pictographs joined so far
	held rune // a joiner that waits for what comes after it
	cr   bool // a carriage return that waits for a line feed
}

// feed appends the safe form of s to out. Unless this is the end, it leaves a
// rune that is not complete unread and returns its bytes.
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

// settle makes r the base of what follows.
func (c *cleaner) settle(r rune) {
	if r == '\n' || r == '\t' { // a tab is no cell a mark could settle on either
		r = startOfLine
	}
	c.base, c.last, c.run, c.join = r, r, 0, 0
}

func (c *cleaner) step(out []byte, r rune) []byte {
	if c.cr && r == '\n' {
		c.cr = false // the two are one line end
	} else {
		out = c.release(out, r)
	}
	switch classify(r) {
	case plain:
		joined := c.last == zwj && isPictograph(r)
		keep := c.join
		c.settle(r)
		if joined {
			c.join = keep
		}
		return utf8.AppendRune(out, r)
	case lineEnd:
		return c.lineEnd(out, r)
	case control:
		return c.control(out, r)
	case leading:
		if c.last >= 0x1100 && classify(c.last) == leading {
			return c.extend(out, r)
		}
		c.settle(r)
		return utf8.AppendRune(out, r)
	case extending:
		return c.extend(out, r)
	case joiner:
		c.held = r
		return out
	case selector:
		if c.last == c.base && c.base != startOfLine && takesSelector(c.base, r) {
			c.last = r
			return utf8.AppendRune(out, r)
		}
	}
	return c.drop(out, r)
}

// release decides about what was held back, now that r (0 at the end) follows.
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
	case r == 0 || c.base < 0x80 || !joins(c.base, j, r):
		return c.drop(out, j)
	case isPictograph(c.base):
		if c.join++; c.join > maxJoined {
			return c.drop(out, j)
		}
	default:
		// A joiner takes its place among the marks of its letter.
		if c.run++; c.run > maxExtending {
			return c.drop(out, j)
		}
	}
	c.last = j
	return utf8.AppendRune(out, j)
}

func (c *cleaner) lineEnd(out []byte, r rune) []byte {
	switch c.form {
	case oneLine | strict:
		if r == '\n' {
			return c.symbol(out, r)
		}
		return c.drop(out, r)
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

// symbol shows a control character by its picture; those of C1 have none.
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

// extend keeps a rune that settles on the base, if that does not carry too many.
func (c *cleaner) extend(out []byte, r rune) []byte {
	if c.base == startOfLine {
		c.settle(dottedCircle)
		out = utf8.AppendRune(out, dottedCircle)
	}
	if c.run++; c.run > maxExtending {
		if c.form&strict != 0 && c.run == maxExtending+1 {
			return fmt.Appendf(out, "<U+%04X…>", r)
		}
		return out
	}
	c.last = r
	return utf8.AppendRune(out, r)
}

// drop leaves a rune out, or names it where nothing may disappear.
func (c *cleaner) drop(out []byte, r rune) []byte {
	if c.form&strict == 0 {
		return out
	}
	return c.name(out, r)
}

func (c *cleaner) name(out []byte, r rune) []byte {
	c.settle('>')
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
