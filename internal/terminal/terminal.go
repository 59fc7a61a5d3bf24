// Package terminal makes untrusted text safe to show.
//
// Notes, file names, tool results, errors and the model's own words are
// untrusted. The package promises, for any bytes whatever:
//
//   - Text, Line, Strict and StrictLine (and Sanitizer, for a stream) return
//     valid UTF-8 in which no control character is left but, in text of several
//     lines, line feeds and tabs. Control characters become visible symbols;
//     nothing is parsed, so that a sequence cut short swallows nothing.
//     Characters that reorder or hide text are gone, what can be piled upon one
//     cell is bounded. Each is idempotent, and text that is fine comes back as
//     it is, not even copied.
//   - Rendered is for what comes out of a renderer: of all sequences only
//     colours and attributes remain, and the links Link made. Nothing lasts
//     beyond the line it stands in.
//
// What is stored, sent or piped is never passed through this package: it is for
// screens alone. It knows no terminal and keeps no state.
package terminal

// form says how text is to come out.
type form uint8

const (
	oneLine form = 1 << iota // line ends and tabs become spaces
	strict                   // nothing disappears: what is dropped elsewhere is named
	inLine                   // line ends become spaces, tabs stay
)

// Text makes text of several lines safe. Line feeds and tabs stay, the other
// line ends (CRLF, NEL, U+2028, U+2029) become line feeds.
func Text(s string) string { return clean(s, 0) }

// Line makes text safe for one line of the screen, such as a title, a file name
// or an error: every line end and every tab becomes a space.
func Line(s string) string { return clean(s, oneLine) }

// maxTitle bounds a window title, in characters; terminals cut them anyway.
const maxTitle = 200

// Title makes text safe for a window title: Line, and at most 200 characters.
func Title(s string) string {
	return firstRunes(Line(s), maxTitle)
}

func clean(s string, f form) string {
	n := plainPrefix(s, f)
	if n == len(s) {
		return s
	}
	c := cleaner{form: f, base: startOfLine}
	if n > 0 {
		c.settle(rune(s[n-1])) // ASCII: all of the prefix is
	}
	out := make([]byte, 0, len(s)+len(s)/8+16)
	out = append(out, s[:n]...)
	out, _ = c.feed(out, s[n:], true)
	return string(out)
}

// plainPrefix is the length of the ASCII at the start of s that stays as it is.
func plainPrefix(s string, f form) int {
	for i := range len(s) {
		if b := s[i]; b-0x20 >= 0x5f && (f&oneLine != 0 || (b != '\n' && b != '\t')) {
			return i
		}
	}
	return len(s)
}

// A Sanitizer does for a stream what Text does for the whole: what it returns,
// put together, is Text of what it was given, put together, wherever the stream
// was cut. The zero value is ready.
type Sanitizer struct {
	c       cleaner
	started bool
	carry   []byte // the bytes of a rune that is not complete
}

// Write takes the next piece and returns what can be shown. At most a rune, a
// carriage return and a joiner are held back, for the pieces to come.
func (s *Sanitizer) Write(piece string) string {
	if !s.started {
		s.started, s.c.base = true, startOfLine
	}
	if len(s.carry) == 0 && s.c.held == 0 && !s.c.cr {
		if n := plainPrefix(piece, s.c.form); n == len(piece) {
			if n > 0 {
				s.c.settle(rune(piece[n-1]))
			}
			return piece
		}
	}
	in := string(s.carry) + piece
	out, rest := s.c.feed(make([]byte, 0, len(in)+len(in)/8+16), in, false)
	s.carry = append(s.carry[:0], rest...)
	return string(out)
}

// Flush returns what Write has held back; the stream ends or pauses here. The
// Sanitizer is then as new.
func (s *Sanitizer) Flush() string {
	if !s.started {
		return ""
	}
	out, _ := s.c.feed(nil, string(s.carry), true)
	*s = Sanitizer{}
	return string(out)
}
