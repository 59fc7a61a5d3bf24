package link

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
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
			plain, _ := unescapeString([]byte(s))
			return string(plain)
		}
	}
	return s
}

// unescapeString resolves the escapes of a double-quoted string of JSON (RFC 8259) and those of YAML that are the
// same or name a character, and returns the offset in s of each byte of plain, and of its end.
func unescapeString(s []byte) (plain []byte, offsets []int) {
	plain = make([]byte, 0, len(s))
	for i := 0; i < len(s); {
		n := 1
		if s[i] == '\\' && i+1 < len(s) {
			var r rune
			r, n = escapedRune(string(s[i:min(i+12, len(s))]))
			plain = utf8.AppendRune(plain, r)
		} else {
			plain = append(plain, s[i])
		}
		for len(offsets) < len(plain) {
			offsets = append(offsets, i)
		}
		i += n
	}
	return plain, append(offsets, len(s))
}

// escapedRune decodes the escape at the start of s, or two for a surrogate pair, and returns the number of bytes read.
func escapedRune(s string) (r rune, n int) {
	if r, _, rest, err := strconv.UnquoteChar(s, '"'); err == nil {
		return r, len(s) - len(rest)
	}
	var high, low rune
	switch n, _ := fmt.Sscanf(s, `\u%4x\u%4x`, &high, &low); {
	case n == 2 && utf16.DecodeRune(high, low) != utf8.RuneError:
		return utf16.DecodeRune(high, low), 12
	case n > 0:
		return utf8.RuneError, 6
	}
	r, n = utf8.DecodeRuneInString(s[1:])
	return r, 1 + n
}
