package link

import (
	"bytes"
	"fmt"
	"path"
	"strings"
	"unicode/utf16"
)

// written is the destination to write for a path, in the manner of the one that is there. ok is
// false where the link's kind cannot hold the path.
func (w *wording) written(p string) (with string, ok bool) {
	l := w.link
	raw := unquote(string(w.text[l.Dest.Start:l.Dest.End]), l.quoting)
	rest := unquote(string(w.text[l.Dest.End:l.Whole.End]), l.quoting)
	switch {
	case l.Kind == Canvas:
		with, ok = p, true
	case l.Kind.markdown():
		angle := l.Dest.Start > l.Whole.Start && w.text[l.Dest.Start-1] == '<'
		with = encoded(p, raw, angle)
		ok = readsMarkdown(l, with, rest, angle, p)
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
	dest, after, ok := destination(text, 0, len(text))
	if l.Kind != Definition {
		dest, after, ok = inlineDestination(text, 0, len(text))
		ok = ok && after == len(text)
	}
	var read Link
	return ok && markdownParts(text, dest, &read) && read.Path == p && read.Anchor == l.Anchor
}

// encoded is a path as a destination of Markdown's: what has to be is percent-encoded, and what
// was in the destination that was there, raw.
func encoded(p, raw string, angle bool) string {
	var was [256]bool // bytes that raw encodes
	beyond := false   // and whether those are any beyond ASCII
	for i := 0; i+2 < len(raw); i++ {
		if high, low := unhex(raw[i+1]), unhex(raw[i+2]); raw[i] == '%' && high >= 0 && low >= 0 {
			was[high<<4|low] = true
			beyond = beyond || high >= 8
			i += 2
		}
	}
	build := func(percent bool) string {
		var b strings.Builder
		for i := range len(p) {
			c := p[i]
			encode := was[c] && c != '/'
			switch {
			case c >= 0x80:
				encode = beyond
			case c < ' ' || c == 0x7f || strings.IndexByte(`#\<>`, c) >= 0:
				encode = true
			case c == ' ':
				encode = encode || !angle
			case c == '%':
				encode = percent
			case c == '(' || c == ')':
				encode = was['('] || was[')'] || !angle && !balanced(p)
			case c == '&':
				encode = encode || entity([]byte(p[i:])) > 1
			case c == ':':
				encode = encode || hasScheme(p)
			}
			if encode {
				fmt.Fprintf(&b, "%%%02X", c)
			} else {
				b.WriteByte(c)
			}
		}
		return b.String()
	}
	// Percent signs may stay where nothing else is encoded and they encode nothing.
	if with := build(was['%']); percentDecoded(with) == p {
		return with
	}
	return build(true)
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
	anchor := strings.ReplaceAll(encoded(l.Anchor, "%28%29", false), "%23", "#")
	with = mark + "[" + escapedText(shown) + "](" + encoded(p, "", false) + anchor + ")"
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
	for _, r := range s {
		if strings.ContainsRune("\\[]`$%", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}
