package link

import (
	"bytes"
	"fmt"
	"path"
	"strings"
	"unicode/utf8"

	"chatvault/internal/base/lazyregexp"
	"chatvault/internal/base/text"
	"chatvault/vault/pathname"
)

// encodeDest returns the destination to write for a path, in the style of the current one. ok is false if the link's
// kind cannot contain the path.
func (w *wording) encodeDest(p string) (with string, ok bool) {
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
		ok = parsesAsMarkdown(l, with, rest, before == '<', p)
	case l.Kind == Property && l.quoting == unquoted && strings.Contains(p, ": "):
		return "", false // YAML would read it as a key
	default:
		with, ok = p, parsesAsWiki(l, p, rest)
	}
	return quoted(with, l.quoting), ok
}

// parsesAsWiki reports whether a wikilink with the path p and the unchanged rest parses as intended.
func parsesAsWiki(l Link, p, rest string) bool {
	text := []byte(p + rest)
	inner, ok := wikiInner(text, 0, len(text))
	if !ok || inner.End+2 != len(text) {
		return false
	}
	read, ok := wikiParts(text, inner)
	return ok && read.Path == p && read.Anchor == l.Anchor && read.Alias == l.Alias
}

// parsesAsMarkdown is parsesAsWiki for a Markdown destination.
func parsesAsMarkdown(l Link, with, rest string, angle bool, p string) bool {
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

// pairing are the characters that can begin and end math, code and comments.
const pairing = "$`%"

// encoded is the function encoded, but in guarded mode also encodes the pairing characters.
func (w *wording) encoded(p, raw string, before byte) string {
	with := encoded(p, raw, before, w.link.Kind == HTML)
	if w.guarded {
		for _, c := range pairing[:2] {
			with = strings.ReplaceAll(with, string(c), fmt.Sprintf("%%%02X", c))
		}
	}
	return with
}

// encoded returns a path as a Markdown destination. It percent-encodes the necessary characters, and those beyond
// ASCII if raw, the old destination, has encoded ones. before is the byte before the destination: an angle bracket or a
// quotation mark allows blanks, unless raw has encoded ones.
func encoded(p, raw string, before byte, html bool) string {
	angle := (before == '<' || html && (before == '"' || before == '\'')) && !strings.Contains(raw, "%20")
	beyond := pathname.IsASCII(raw) && !pathname.IsASCII(percentDecoded(raw))
	unsafe := "#?%\\<>\x7f"
	if html {
		unsafe += "\"'`=&"
	}
	if !angle {
		unsafe += " "
	}
	plain := []byte(strings.ReplaceAll(p, " ", "_"))
	if _, after, ok := destination(plain, 0, len(plain)); !angle && (!ok || after < len(plain)) { // unbalanced
		unsafe += "()"
	}
	if scheme().MatchString(p) {
		unsafe += ":"
	}
	var b strings.Builder
	for i := range len(p) {
		c := p[i]
		if c < ' ' || c >= utf8.RuneSelf && beyond || strings.IndexByte(unsafe, c) >= 0 || c == '&' && entity().MatchString(p[i:]) {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// quoted adds the escapes that a destination needs in a quoted string.
func quoted(s string, q quoting) string {
	switch q {
	case singleQuoted:
		return strings.ReplaceAll(s, "'", "''")
	case doubleQuoted, inJSON:
		data, _ := text.JSON(s) // a string can be encoded
		return string(data[1 : len(data)-1])
	}
	return s
}

// asMarkdown returns a Markdown link that replaces a wikilink whose path no wikilink can contain, such as one with
// "#" or "|". It displays the same text.
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
	with = mark + "[" + textMarkup().ReplaceAllString(shown, `\$0`) + "](" + w.encoded(p, "", ' ') + anchor + ")"
	text := []byte(with)
	read := Parse("", text)
	if len(read) != 1 || read[0].Path != p || percentDecoded(read[0].Anchor) != l.Anchor || read[0].Whole != (Span{0, len(text)}) || bytes.ContainsAny(text, "\n") {
		return "", false
	}
	return quoted(with, l.quoting), true
}

// textMarkup matches what a backslash escapes in the brackets of a Markdown link.
var textMarkup = lazyregexp.New("[]\\\\[`$*<%=~]|\\b_|_\\b")
