package link

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"

	"chatvault/vault/block"
)

// properties finds the wikilinks in the values of front matter, which is text[begin:end]: those
// within a string. "[[Note]]" without quotes is none: to YAML it is a list in a list, and to
// Obsidian, too. It knows as much of YAML 1.2 as it needs to tell strings from what is between
// them.
func (s *scanner) properties(begin, end int) {
	if !bytes.Contains(s.text[begin:end], []byte("[[")) {
		return
	}
	m := frontMatter{s: s, begin: begin, end: end, at: begin}
	m.newLine(begin)
	for m.at < end {
		if !m.between() {
			m.value()
		}
	}
}

// frontMatter is front frontMatter that is gone through.
type frontMatter struct {
	s          *scanner
	begin, end int
	at         int
	line       int  // where the line begins
	fresh      bool // nothing but blanks and dashes came before in it
	indent     int  // of the key or item that came last, in bytes
	flow       int  // brackets and braces that are open
}

func (m *frontMatter) newLine(at int) { m.at, m.line, m.fresh = at, at, true }

// between goes over what is no value: blanks, comments, dashes, brackets. It reports whether there
// was any.
func (m *frontMatter) between() bool {
	text := m.s.text
	switch c := text[m.at]; {
	case c == '\n':
		m.newLine(m.at + 1)
	case blank(c), c == ',' && m.flow > 0:
		m.at++
	case c == '#' && (m.at == m.begin || blank(text[m.at-1])):
		m.newLine(block.LineStop(text, m.at))
	case c == '-' && m.flow == 0 && m.fresh && m.at+1 < m.end && blank(text[m.at+1]):
		m.indent = m.at - m.line
		m.at++
	case c == '[' || c == '{':
		m.flow++
		m.at++
		m.fresh = false
	case (c == ']' || c == '}') && m.flow > 0:
		m.flow--
		m.at++
	default:
		return false
	}
	return true
}

// value takes in a key, or a value and the links in it.
func (m *frontMatter) value() {
	text := m.s.text
	if m.fresh && text[m.at] != '|' && text[m.at] != '>' {
		m.indent = m.at - m.line
	}
	switch c := text[m.at]; {
	case c == '"' || c == '\'':
		after := m.end
		if n := block.QuotedEnd(text[m.at:m.end]); n >= 0 {
			after = m.at + n
		}
		if !isKey(text, after, m.end) {
			q := doubleQuoted
			if c == '\'' {
				q = singleQuoted
			}
			m.s.property(m.at+1, max(after-1, m.at+1), q)
		}
		m.at = after
	case (c == '|' || c == '>') && m.flow == 0 && !m.fresh:
		after := blockScalarEnd(text, m.at, m.end, m.indent)
		m.s.property(block.LineStop(text, m.at), after, unquoted)
		m.newLine(after)
		return
	case c == '!' || c == '&' || c == '*': // a tag, an anchor, an alias
		for m.at < m.end && !blank(text[m.at]) {
			m.at++
		}
	default:
		after, key := plainEnd(text, m.at, m.end, m.flow > 0)
		if !key {
			m.s.property(m.at, after, unquoted)
		}
		m.at = max(after, m.at+1)
	}
	m.fresh = false
}

// isKey says whether a colon follows, so that what came before was a key.
func isKey(text []byte, at, end int) bool {
	for at < end && (text[at] == ' ' || text[at] == '\t') {
		at++
	}
	return at < end && text[at] == ':' && (at+1 == end || blank(text[at+1]))
}

// plainEnd is where a string without quotes ends, in its line, and whether it is a key; then the
// end is behind its colon.
func plainEnd(text []byte, at, end int, inFlow bool) (after int, key bool) {
	for i := at; i < end; i++ {
		switch c := text[i]; {
		case c == '\n':
			return i, false
		case c == ':' && (i+1 == end || blank(text[i+1])):
			return i + 1, true
		case c == '#' && i > at && blank(text[i-1]):
			return i, false
		case inFlow && (c == ',' || c == '[' || c == ']' || c == '{' || c == '}'):
			return i, false
		}
	}
	return end, false
}

// blockScalarEnd is where the lines end that belong to a text begun by "|" or ">" at at: those
// that are blank or further in than indent.
func blockScalarEnd(text []byte, at, end, indent int) int {
	for at = block.LineStop(text, at); at < end; {
		next := min(block.LineStop(text, at), end)
		inner := at
		for inner < next && text[inner] == ' ' {
			inner++
		}
		if inner-at <= indent && len(bytes.TrimSpace(text[inner:next])) > 0 {
			return at
		}
		at = next
	}
	return min(at, end)
}

// property takes in the wikilinks of a string.
func (s *scanner) property(begin, end int, q quoting) {
	for at := begin; at < end; {
		i := bytes.Index(s.text[at:end], []byte("[["))
		if i < 0 {
			return
		}
		at += i
		inner, ok := wikiInner(s.text, at+2, end)
		if !ok {
			at++
			continue
		}
		l, ok := wikiParts(s.text, inner)
		if !ok {
			at += 2
			continue
		}
		l.Kind, l.Whole, l.quoting = Property, Span{at, inner.End + 2}, q
		l.Path = unquote(l.Path, q)
		l.Anchor, l.Alias = unquote(l.Anchor, q), unquote(l.Alias, q)
		s.add(l)
		at = l.Whole.End
	}
}

// unquote takes the escapes of a quoted string away.
func unquote(s string, q quoting) string {
	switch q {
	case singleQuoted:
		return strings.ReplaceAll(s, "''", "'")
	case doubleQuoted, inJSON:
		if strings.IndexByte(s, '\\') >= 0 {
			plain, _ := unescapeString([]byte(s), false)
			return string(plain)
		}
	}
	return s
}

// unescapeString resolves the escapes of a string in double quotes, of JSON (RFC 8259) and as far
// as they are the same or name a character, of YAML. With offsets, it says for each byte, and
// the end, where in s it comes from.
func unescapeString(s []byte, withOffsets bool) (plain []byte, offsets []int) {
	plain = make([]byte, 0, len(s))
	if withOffsets {
		offsets = make([]int, 0, len(s)+1)
	}
	note := func(at int) {
		for withOffsets && len(offsets) < len(plain) {
			offsets = append(offsets, at)
		}
	}
	for i := 0; i < len(s); {
		if s[i] != '\\' || i+1 == len(s) {
			plain = append(plain, s[i])
			note(i)
			i++
			continue
		}
		from := i
		i += 2
		switch c := s[from+1]; c {
		case 'n':
			plain = append(plain, '\n')
		case 't':
			plain = append(plain, '\t')
		case 'r':
			plain = append(plain, '\r')
		case 'b':
			plain = append(plain, '\b')
		case 'f':
			plain = append(plain, '\f')
		case 'x', 'u', 'U':
			r, n := escapedRune(s[i:], map[byte]int{'x': 2, 'u': 4, 'U': 8}[c])
			i += n
			plain = utf8.AppendRune(plain, r)
		default:
			plain = append(plain, c)
		}
		note(from)
	}
	if withOffsets {
		offsets = append(offsets, len(s))
	}
	return plain, offsets
}

// escapedRune is the character written in so many hexadecimal digits, two escapes where it is a
// surrogate pair, and how many bytes it takes.
func escapedRune(s []byte, digits int) (r rune, n int) {
	if len(s) < digits {
		return utf8.RuneError, len(s)
	}
	v, err := strconv.ParseUint(string(s[:digits]), 16, 32)
	if err != nil {
		return utf8.RuneError, 0
	}
	const high, low, end = 0xd800, 0xdc00, 0xe000
	if v >= high && v < low && digits == 4 && len(s) >= 10 && s[4] == '\\' && s[5] == 'u' {
		if w, err := strconv.ParseUint(string(s[6:10]), 16, 32); err == nil && w >= low && w < end {
			return rune(v-high)<<10 + rune(w-low) + 0x10000, 10
		}
	}
	return rune(v), digits
}
