package link

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"
)

// properties finds the wikilinks in the values of front matter, which is text[begin:end]: those
// within a string. "[[Note]]" without quotes is none: to YAML it is a list in a list, and to
// Obsidian, too. It knows as much of YAML 1.2 as it needs to tell strings from what is between
// them.
func (s *scanner) properties(begin, end int) {
	text := s.text
	if bytes.Index(text[begin:end], []byte("[[")) < 0 {
		return
	}
	flow := 0     // brackets and braces that are open
	fresh := true // nothing but blanks and dashes came before in the line
	indent := 0   // of the key or item that came last, in bytes
	lineStart := begin
	for at := begin; at < end; {
		switch c := text[at]; {
		case c == '\n':
			at++
			lineStart, fresh = at, true
		case c == ' ' || c == '\t' || c == '\r' || c == ',' && flow > 0:
			at++
		case c == '#' && (at == begin || blank(text[at-1])):
			at = lineEnd(text, at)
			lineStart, fresh = at, true
		case c == '-' && flow == 0 && fresh && at+1 < end && blank(text[at+1]):
			indent = at - lineStart
			at++
		case c == '"' || c == '\'':
			after := quotedEnd(text, at, end)
			if fresh {
				indent = at - lineStart
			}
			if !isKey(text, after, end) {
				q := doubleQuoted
				if c == '\'' {
					q = singleQuoted
				}
				s.property(at+1, max(after-1, at+1), q)
			}
			fresh, at = false, after
		case c == '[' || c == '{':
			flow++
			fresh, at = false, at+1
		case (c == ']' || c == '}') && flow > 0:
			flow--
			at++
		case (c == '|' || c == '>') && flow == 0 && !fresh:
			after := blockScalarEnd(text, at, end, indent)
			s.property(lineEnd(text, at), after, unquoted)
			at, lineStart, fresh = after, after, true
		case c == '!' || c == '&' || c == '*': // a tag, an anchor, an alias
			for at < end && !blank(text[at]) {
				at++
			}
			fresh = false
		default:
			after, key := plainEnd(text, at, end, flow > 0)
			if fresh {
				indent = at - lineStart
			}
			if !key {
				s.property(at, after, unquoted)
			}
			fresh, at = false, max(after, at+1)
		}
	}
}

// quotedEnd is behind the quotation mark that closes the string opened at at.
func quotedEnd(text []byte, at, end int) int {
	mark := text[at]
	for i := at + 1; i < end; i++ {
		switch {
		case text[i] == '\\' && mark == '"':
			i++
		case text[i] != mark:
		case mark == '\'' && i+1 < end && text[i+1] == mark:
			i++
		default:
			return i + 1
		}
	}
	return end
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
	for at = lineEnd(text, at); at < end; {
		next := min(lineEnd(text, at), end)
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
