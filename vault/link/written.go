package link

import (
	"bytes"
	"fmt"
	"path"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// written is the destination to write for a path, in the manner of the one that is there. ok is
// false where the link's kind cannot hold the path.
func (w *wording) written(p string) (with string, ok bool) {
	l := w.link
	if w.guarded && strings.ContainsAny(p, pairing) && !l.Kind.markdown() && l.Kind != Canvas {
		return "", false
	}
	raw := unquote(string(w.text[l.Dest.Start:l.Dest.End]), l.quoting)
	rest := unquote(string(w.text[l.Dest.End:l.Whole.End]), l.quoting)
	switch {
	case l.Kind == Canvas:
		with, ok = p, true
	case l.Kind.markdown():
		before := byte(' ')
		if l.Dest.Start > l.Whole.Start {
			before = w.text[l.Dest.Start-1]
		}
		with = w.encoded(p, raw, before)
		ok = readsMarkdown(l, with, rest, before == '<', p)
	case l.Kind == Property && l.quoting == unquoted && strings.Contains(p, ": "):
		return "", false // YAML would take it for a key
	default:
		with, ok = p, readsWiki(l, p, rest)
	}
	return quoted(with, string(w.text[l.Dest.Start:l.Dest.End]), l.quoting), ok
}

// readsWiki says whether a wikilink with the path p, before the rest that it keeps, is read as
// it is meant.
func readsWiki(l Link, p, rest string) bool {
	text := []byte(p + rest)
	inner, ok := wikiInner(text, 0, len(text))
	if !ok || inner.End+2 != len(text) {
		return false
	}
	read, ok := wikiParts(text, inner)
	return ok && read.Path == p && read.Anchor == l.Anchor && read.Alias == l.Alias
}

// readsMarkdown is readsWiki for a destination of Markdown's.
func readsMarkdown(l Link, with, rest string, angle bool, p string) bool {
	text := []byte(with + rest)
	if angle {
		text = append([]byte{'<'}, text...)
	}
	dest, _, ok := destination(text, 0, len(text))
	switch l.Kind {
	case Definition:
	case HTML:
		dest, ok = Span{0, len(with) + len(l.Anchor)}, true
	default:
		var after int
		dest, after, ok = inlineDestination(text, 0, len(text))
		ok = ok && after == len(text)
	}
	var read Link
	return ok && markdownParts(text, dest, &read) && read.Path == p && read.Anchor == l.Anchor
}

// Unwritable is what a path has that cannot stand in every kind of link, in quotation marks: a
// wikilink cannot hold it, and front matter has no other links.
func Unwritable(p string) []string {
	var has []string
	for _, s := range []string{"#", "|", "[[", "]]", ": "} {
		if strings.Contains(p, s) {
			has = append(has, strconv.Quote(s))
		}
	}
	return has
}

// pairing are the characters that end, or begin, what another of them began: math, code, comments.
const pairing = "$`%"

// encoded is encoded, without a character that could pair with another where that is to be so.
func (w *wording) encoded(p, raw string, before byte) string {
	with := encoded(p, raw, before, w.link.Kind == HTML)
	if w.guarded {
		for _, c := range pairing[:2] {
			with = strings.ReplaceAll(with, string(c), fmt.Sprintf("%%%02X", c))
		}
	}
	return with
}

// encoded is a path as a destination of Markdown's: what has to be is percent-encoded, and what
// was in the destination that was there, raw. before is the byte before that, an angle bracket or a
// quotation mark where it may have blanks.
func encoded(p, raw string, before byte, html bool) string {
	angle := before == '<' || html && (before == '"' || before == '\'')
	m := percentStyle{angle: angle, parens: !angle && !balanced(p), scheme: scheme().MatchString(p), html: html}
	for i := 0; i+2 < len(raw); i++ {
		if c, err := strconv.ParseUint(raw[i+1:i+3], 16, 8); raw[i] == '%' && err == nil {
			m.was[c] = true
			m.beyond = m.beyond || c >= utf8.RuneSelf
			i += 2
		}
	}
	m.parens = m.parens || m.was['('] || m.was[')']
	m.percent = m.was['%']
	// Percent signs may stay where nothing else is encoded and they encode nothing.
	if with := m.encode(p); m.percent || percentDecoded(with) == p {
		return with
	}
	m.percent = true
	return m.encode(p)
}

// percentStyle is the percentStyle in which a destination is percent-encoded.
type percentStyle struct {
	was     [256]bool // bytes that were
	beyond  bool      // what is beyond ASCII is
	parens  bool      // parentheses are
	percent bool      // percent signs are
	scheme  bool      // a colon would make a scheme of what is before it
	angle   bool      // it stands in angle brackets, or in an attribute's quotation marks
	html    bool      // it stands in an attribute
}

func (m *percentStyle) encode(p string) string {
	var b strings.Builder
	for i := range len(p) {
		if m.encodes(p[i:]) {
			fmt.Fprintf(&b, "%%%02X", p[i])
		} else {
			b.WriteByte(p[i])
		}
	}
	return b.String()
}

// encodes says whether the first byte of what is left of a path is encoded.
func (m *percentStyle) encodes(rest string) bool {
	switch c := rest[0]; {
	case c >= utf8.RuneSelf:
		return m.beyond
	case c < ' ', c == 0x7f, strings.IndexByte(`#?\<>`, c) >= 0, m.html && strings.IndexByte("\"'`=&", c) >= 0:
		return true
	case c == '/':
		return false
	case c == '%':
		return m.percent
	case c == '(' || c == ')':
		return m.parens
	case c == ' ' && !m.angle, c == ':' && m.scheme, c == '&' && entity([]byte(rest)) > 1:
		return true
	default:
		return m.was[c]
	}
}

// balanced says whether the parentheses of a path come in pairs, few enough to be nested.
func balanced(p string) bool {
	depth := 0
	for i := range len(p) {
		switch p[i] {
		case '(':
			if depth++; depth > maxParens-1 {
				return false
			}
		case ')':
			if depth--; depth < 0 {
				return false
			}
		}
	}
	return depth == 0
}

// quoted puts the escapes that a quoted string needs into a destination, in the manner of raw,
// which it replaces.
func quoted(s, raw string, q quoting) string {
	switch q {
	case singleQuoted:
		return strings.ReplaceAll(s, "'", "''")
	case doubleQuoted, inJSON:
	default:
		return s
	}
	slash := q == inJSON && strings.Contains(raw, `\/`)
	asciiOnly := strings.Contains(raw, `\u`)
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '"' || r == '\\' || r == '/' && slash:
			b.WriteByte('\\')
			b.WriteRune(r)
		case r > 0xffff && asciiOnly && q == doubleQuoted:
			fmt.Fprintf(&b, `\U%08x`, r)
		case r < ' ' || r == 0x7f || r > 0x7f && asciiOnly:
			for _, unit := range utf16.Encode([]rune{r}) {
				fmt.Fprintf(&b, `\u%04x`, unit)
			}
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// asMarkdown is a whole Markdown link to put in the place of a wikilink, for a path that no
// wikilink can hold: one with "#" or "|", say. It shows what the wikilink showed.
func (w *wording) asMarkdown(p string) (with string, ok bool) {
	l := w.link
	if l.Kind != Wiki && l.Kind != Embed {
		return "", false
	}
	shown := l.Alias
	if shown == "" && l.Kind == Wiki {
		shown = strings.TrimSuffix(path.Base(w.want), ".md") + strings.ReplaceAll(l.Anchor, "#", " > ")
	}
	mark := ""
	if l.Kind == Embed {
		mark = "!"
	}
	anchor := strings.ReplaceAll(encoded(l.Anchor, "%28%29", ' ', false), "%23", "#")
	with = mark + "[" + escapedText(shown) + "](" + w.encoded(p, "", ' ') + anchor + ")"
	text := []byte(with)
	read := Parse("", text)
	if len(read) != 1 || read[0].Path != p || percentDecoded(read[0].Anchor) != l.Anchor || read[0].Whole != (Span{0, len(text)}) || bytes.ContainsAny(text, "\n") {
		return "", false
	}
	return quoted(with, "", l.quoting), true
}

// escapedText is a text between the brackets of a Markdown link.
func escapedText(s string) string {
	var b strings.Builder
	for i := range len(s) {
		if marksUp(s, i) {
			b.WriteByte('\\')
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// marksUp says whether a character of a text would mean something else than itself in Markdown.
func marksUp(s string, at int) bool {
	beside := func(i int) byte {
		if i < 0 || i >= len(s) {
			return ' '
		}
		return s[i]
	}
	before, after := beside(at-1), beside(at+1)
	switch c := s[at]; c {
	case '\\', '[', ']', '`', '$', '*', '<':
		return true
	case '_': // within a word it means itself
		return !isWord(before) || !isWord(after)
	case '%', '=', '~': // only two of them mean something
		return before == c || after == c
	}
	return false
}

func isWord(c byte) bool {
	return c >= utf8.RuneSelf || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
