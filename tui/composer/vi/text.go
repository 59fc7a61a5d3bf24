package vi

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"chatvault/internal/base/cells"
)

// text is a text with positions: byte offsets of grapheme clusters, and its length.
type text string

func (t text) next(at int) int {
	if at >= len(t) {
		return len(t)
	}
	return at + cells.First(string(t[at:]))
}

func (t text) prev(at int) int { return at - cells.Last(string(t[:at])) }

// begin returns the beginning of the character that a byte offset is in.
func (t text) begin(at int) int {
	for at > 0 && t.next(t.prev(at)) != at {
		at = t.prev(at)
	}
	return at
}

// start and end return the bounds of a position's line, without the line break.
func (t text) start(at int) int { return strings.LastIndexByte(string(t[:at]), '\n') + 1 }

func (t text) end(at int) int {
	if n := strings.IndexByte(string(t[at:]), '\n'); n >= 0 {
		return at + n
	}
	return len(t)
}

// atEnd reports whether a position is at the end of its line.
func (t text) atEnd(at int) bool { return at == len(t) || t[at] == '\n' }

// empty reports whether a position is an empty line.
func (t text) empty(at int) bool { return t.atEnd(at) && (at == 0 || t[at-1] == '\n') }

// last returns the last character of a position's line.
func (t text) last(at int) int {
	if end := t.end(at); end > t.start(at) {
		return t.prev(end)
	}
	return t.end(at)
}

// skip returns the position behind spaces and tabs.
func (t text) skip(at int) int {
	for !t.atEnd(at) && t.blank(at) {
		at++
	}
	return at
}

func (t text) blank(at int) bool { return t[at] == ' ' || t[at] == '\t' }

// first returns the first character of a line that is not blank, or its last one.
func (t text) first(at int) int {
	at = t.start(at)
	return min(t.skip(at), t.last(at))
}

// down returns the start of the line n lines below, or above if n is negative, at most the last or first one.
func (t text) down(at, n int) int {
	at = t.start(at)
	for ; n > 0 && t.end(at) < len(t); n-- {
		at = t.end(at) + 1
	}
	for ; n < 0 && at > 0; n++ {
		at = t.start(at - 1)
	}
	return at
}

// char returns the first code point of a character; 0 at the end of the text.
func (t text) char(at int) rune {
	if at >= len(t) {
		return 0
	}
	r, _ := utf8.DecodeRuneInString(string(t[at:]))
	return r
}

// scripts are those whose characters are words of their own, beside others.
var scripts = []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul}

// class returns the kind of a character: 0 for blanks and ends of lines; characters of other kinds that follow each
// other are words. For WORDS (big) there are no further kinds.
func (t text) class(at int, big bool) int {
	r := t.char(at)
	switch {
	case r == 0, unicode.IsSpace(r):
		return 0
	case big:
		return 1
	case r >= 0x1F000 && unicode.In(r, unicode.So, unicode.Sk):
		return 3
	case unicode.In(r, scripts...):
		return 4 + slices.IndexFunc(scripts, func(s *unicode.RangeTable) bool { return unicode.Is(s, r) })
	case r == '_', unicode.In(r, unicode.L, unicode.N, unicode.M):
		return 2
	}
	return 1
}

// runBack returns the beginning of the run of characters of the class at a position.
func (t text) runBack(at int, big bool) int {
	for class := t.class(at, big); at > 0 && t.class(t.prev(at), big) == class; {
		at = t.prev(at)
	}
	return at
}

// run returns the end of the run of characters of the class at a position.
func (t text) run(at int, big bool) int {
	for class := t.class(at, big); at < len(t) && t.class(at, big) == class; {
		at = t.next(at)
	}
	return at
}
