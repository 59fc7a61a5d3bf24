package link

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"

	"chatvault/vault/note"
)

// properties finds the wikilinks in the texts of front matter. "[[Note]]" without quotes is none: to
// YAML it is a list in a list, and to Obsidian, too.
func (s *scanner) properties(begin, end int) {
	if !bytes.Contains(s.text[begin:end], []byte("[[")) {
		return
	}
	values, _ := note.Values(s.text) // in front matter that cannot be read there are none
	for _, v := range values {
		s.property(v)
	}
}

// property finds the wikilinks in a text of front matter.
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
		_, after, said := strings.Cut(v.Text, unquote(string(s.text[at:l.Whole.End]), q)) // not in a comment
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
