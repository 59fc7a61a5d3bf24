// Package terminal makes untrusted text safe to show.
//
// Notes, file names, tool results, errors and model output are untrusted. For any
// input bytes:
//
//   - Text, Line, Strict and StrictLine (and Sanitizer, for a stream) return
//     valid UTF-8 without control characters; line feeds and tabs remain in
//     multi-line text. Control characters become visible symbols; nothing is
//     parsed, so a truncated sequence swallows nothing. Characters that reorder
//     or hide text are removed, and the marks on one cell are bounded. Each
//     function is idempotent and returns safe text without copying it.
//   - Rendered is for a renderer's output: it keeps colours, attributes and the
//     links made by Link, and drops every other sequence. No style extends beyond
//     its line.
//
// Text that is stored, sent or piped must not pass through this package. It has no
// state and does not depend on a particular terminal.
package terminal

import (
	"strings"

	"chatvault/internal/base/text"
)

// form selects how text is cleaned.
type form uint8

const (
	oneLine form = 1 << iota // line ends and tabs become spaces
	strict                   // characters dropped otherwise are named instead
	inLine                   // line ends become spaces, tabs stay
)

// Text makes multi-line text safe. Line feeds and tabs remain; the other line ends (CRLF, NEL, U+2028, U+2029) become
// line feeds.
func Text(s string) string { return clean(s, 0) }

// Line makes text safe for a single line, such as a title, a file name or an error: line ends and tabs become spaces.
func Line(s string) string { return clean(s, oneLine) }

// maxTitle bounds a window title, in characters; terminals cut them anyway.
const maxTitle = 200

// Title makes text safe for a window title, truncated to maxTitle.
func Title(s string) string {
	return text.Clip(Line(s), maxTitle+1)
}

func clean(s string, f form) string {
	if isPlain(s, f) {
		return s
	}
	c := cleaner{form: f}
	out, _ := c.feed(make([]byte, 0, len(s)+len(s)/8+16), s, true)
	return string(out)
}

// isPlain reports whether s is ASCII that needs no change.
func isPlain(s string, f form) bool {
	for i := range len(s) {
		if b := s[i]; b-0x20 >= 0x5f && (f&oneLine != 0 || (b != '\n' && b != '\t')) {
			return false
		}
	}
	return true
}

// A Sanitizer is Text for a stream: its concatenated output equals Text of the concatenated input, however the input
// is split. The zero value is ready to use.
type Sanitizer struct {
	c     cleaner
	carry string // the bytes of an incomplete rune
}

// Write takes the next piece and returns the text that can be shown. It buffers at most a rune, a carriage return and
// a joiner.
func (s *Sanitizer) Write(piece string) string {
	in := s.carry + piece
	out, rest := s.c.feed(make([]byte, 0, len(in)+len(in)/8+16), in, false)
	s.carry = strings.Clone(rest)
	return string(out)
}

// Flush returns the buffered rest and resets the Sanitizer.
func (s *Sanitizer) Flush() string {
	out, _ := s.c.feed(nil, s.carry, true)
	*s = Sanitizer{}
	return string(out)
}
