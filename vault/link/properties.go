package link

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"

	"chatvault/vault/note"
)

// properties adds the wikilinks in the strings of the front matter. "[[Note]]" without quotes is not a link: YAML,
// and Obsidian too, read it as a nested list.
func (s *scanner) properties(begin, end int) {
	if !bytes.Contains(s.text[begin:end], []byte("[[")) {
		return
	}
	values, _ := note.Values(s.text) // unreadable front matter has no values
	for _, v := range values {
		s.property(v)
	}
}

// property adds the wikilinks in a string of the front matter.
func (s *scanner) property(v note.Value) {
	q := unquoted
	switch s.text[v.Start] {
	case '"':
		q = doubleQuoted
	case '\'':
		q = singleQuoted
	}
	for at := v.Start; at < v.End; {
		i := bytes.Index(s.text[at:v.End], []byte("[["))
		if i < 0 {
			return
		}
		at += i
		inner, ok := wikiInner(s.text, at+2, v.End)
		if !ok {
			at++
			continue
		}
		l, ok := wikiParts(s.text, inner)
		l.Kind, l.Whole, l.quoting = Property, Span{at, inner.End + 2}, q
		_, after, said := strings.Cut(v.Text, unquote(string(s.text[at:l.Whole.End]), q)) // not in a YAML comment
		if !ok || !said {
			at += 2
			continue
		}
		l.Path = unquote(l.Path, q)
		l.Anchor, l.Alias = unquote(l.Anchor, q), unquote(l.Alias, q)
		s.add(l)
		at, v.Text = l.Whole.End, after
	}
}

// unquote removes the escapes of a quoted string.
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

// unescapeString resolves the escapes of a double-quoted string of JSON (RFC 8259) and those of YAML that are the
// same or name a character. With withOffsets, it returns the offset in s of each byte of plain, and of its end.
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

// escapedRune decodes a rune from the given number of hexadecimal digits, or from two escapes for a surrogate pair,
// and returns the number of bytes read.
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
