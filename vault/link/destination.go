package link

import (
	"bytes"
	"html"
	"net/url"
	"path"
	"strings"
	"unicode/utf8"

	"chatvault/internal/base/lazyregexp"
	"chatvault/vault/block"
	"chatvault/vault/pathname"
)

// Destinations of Markdown links follow CommonMark 0.31, section 6.3.

// maxParens limits nested parentheses in a destination, as CommonMark allows.
const maxParens = 32

// inlineDestination parses the destination, without its angle brackets, and the optional title of an inline link. at
// is the offset after the opening parenthesis, after the one after the closing one.
func inlineDestination(text []byte, at, end int) (dest Span, after int, ok bool) {
	at = skipBlanks(text, at, end)
	dest, at, ok = destination(text, at, end)
	if !ok {
		return dest, 0, false
	}
	next := skipBlanks(text, at, end)
	if next > at && next < end && text[next] != ')' {
		if next, ok = title(text, next, end); !ok {
			return dest, 0, false
		}
		next = skipBlanks(text, next, end)
	}
	return dest, next + 1, next < end && text[next] == ')'
}

func skipBlanks(text []byte, at, end int) int {
	for at < end && blank(text[at]) {
		at++
	}
	return at
}

// destination parses a destination at offset at, with or without angle brackets, and returns its end.
func destination(text []byte, at, end int) (dest Span, after int, ok bool) {
	if at < end && text[at] == '<' {
		size := len(angled().Find(text[at:end]))
		return Span{at + 1, at + size - 1}, at + size, size > 0
	}
	depth, i := 0, at
loop:
	for ; i < end; i++ {
		switch c := text[i]; {
		case c == '\\' && i+1 < end && punctuation(text[i+1]):
			i++
		case c <= ' ' || c == 0x7f:
			break loop
		case c == '(':
			if depth++; depth > maxParens {
				return dest, 0, false
			}
		case c == ')':
			if depth == 0 {
				break loop
			}
			depth--
		}
	}
	return Span{at, i}, i, depth == 0
}

// title returns the end of a title.
func title(text []byte, at, end int) (after int, ok bool) {
	size := len(titleForm().Find(text[at:end]))
	return at + size, size > 0
}

// The forms of destinations in angle brackets, of titles, and of labels with the colon after them.
var (
	angled    = lazyregexp.New(`(?s)^<(?:[^<>\n\\]|\\.)*>`)
	titleForm = lazyregexp.New(`(?s)^(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\((?:[^()\\]|\\.)*\))`)
	labelForm = lazyregexp.New(`(?s)^\[((?:[^\[\]\\]|\\.)*)\]:`)
)

// markdownParts splits a destination. It reports whether the link leads into the vault.
func markdownParts(text []byte, dest Span, l *Link) bool {
	raw := text[dest.Start:dest.End]
	name, _, _ := bytes.Cut(raw, []byte{'#'})
	// A query follows an extension, but a note's name may contain a question mark: "What?.md".
	if before, _, ok := bytes.Cut(name, []byte{'?'}); ok && path.Ext(string(before)) != "" && !pathname.IsNote(string(name)) {
		name = before
	}
	if i := len(name); i < len(raw) {
		l.Anchor, l.anchorAt = string(raw[i:]), Span{dest.Start + i, dest.End}
		dest.End = dest.Start + i
		if i > 0 && raw[i-1] == '\\' {
			dest.End--
		}
		raw = text[dest.Start:dest.End]
	}
	if len(raw) == 0 && l.Anchor == "" {
		return false
	}
	plain := unescaped(raw)
	if scheme().MatchString(plain) || strings.HasPrefix(plain, "//") {
		return false
	}
	l.Dest, l.Path = dest, percentDecoded(plain)
	return true
}

// scheme matches the scheme of a URL.
var scheme = lazyregexp.New(`^[A-Za-z][A-Za-z0-9+.-]*:`)

var (
	escapes = lazyregexp.New("\\\\[!-/:-@[-`{-~]|&#?[0-9A-Za-z]{1,31};")
	entity  = lazyregexp.New(`^&#?[0-9A-Za-z]{1,31};`)
)

// unescaped returns a destination without backslash escapes and with its entities resolved.
func unescaped(raw []byte) string {
	if bytes.IndexByte(raw, '\\') < 0 && bytes.IndexByte(raw, '&') < 0 {
		return string(raw)
	}
	return escapes().ReplaceAllStringFunc(string(raw), func(s string) string {
		if s[0] == '\\' {
			return s[1:]
		}
		return html.UnescapeString(s)
	})
}

// percentDecoded decodes the %XX of a destination. If any is malformed, the destination is unchanged, as by
// decodeURIComponent in ECMAScript.
func percentDecoded(s string) string {
	decoded, err := url.PathUnescape(s)
	if err != nil || !utf8.ValidString(decoded) {
		return s
	}
	return decoded
}

// definition parses a link reference definition at the beginning of a paragraph and adds its link. It returns the
// start of the next line.
func (s *scanner) definition(at, end int) (next int, ok bool) {
	m := labelForm().FindSubmatch(s.text[at:end])
	if m == nil || len(bytes.TrimSpace(m[1])) == 0 || m[1][0] == '^' {
		return 0, false
	}
	l := Link{Kind: Definition, Alias: string(m[1])}
	from := skipInLine(s.text, at+len(m[0]))
	if from < len(s.text) && s.text[from] == '\n' { // the destination may be on the next line
		from = skipInLine(s.text, from+1)
	}
	stop := block.LineStop(s.text, from)
	dest, after, ok := destination(s.text, from, stop)
	if !ok || dest.Start == dest.End && after == from {
		return 0, false
	}
	rest := skipInLine(s.text, after)
	l.Whole = Span{at, after}
	if rest < stop && s.text[rest] != '\n' {
		if rest == after {
			return 0, false
		}
		if rest, ok = title(s.text, rest, stop); !ok {
			return 0, false
		}
		l.Whole.End = rest
		if rest = skipInLine(s.text, rest); rest < stop && s.text[rest] != '\n' {
			return 0, false
		}
	}
	if markdownParts(s.text, dest, &l) {
		s.add(l)
	}
	return stop, true
}

// skipInLine skips the blanks of a line.
func skipInLine(text []byte, at int) int {
	for at < len(text) && text[at] != '\n' && blank(text[at]) {
		at++
	}
	return at
}
