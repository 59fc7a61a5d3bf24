package link

import (
	"bytes"

	"chatvault/internal/lazyregexp"
	"chatvault/vault/block"
)

// inlineState is what the search for links in one paragraph remembers.
type inlineState struct {
	brackets []bracket
	inactive int // below this index brackets open images only: a link is in none

	// What is known not to come any more in this paragraph, so that it is sought once only.
	noDollars, noPercents, noCommentEnd bool

	html           bool // the paragraph is part of an HTML block
	noComments     bool // no comment of HTML ends in the rest of the text
	noDollarBefore int  // no "$" that could close math is before this
	code           block.CodeSpans
}

// bracket is one that may open a Markdown link.
type bracket struct {
	at    int
	image bool
}

// special are the characters that may begin something.
var special = [256]bool{'\\': true, '`': true, '[': true, ']': true, '$': true, '%': true, '<': true}

// inline finds the links in the text of a paragraph.
func (s *scanner) inline(begin, end int) {
	s.noDollars, s.noPercents, s.noCommentEnd, s.noDollarBefore = false, false, false, 0
	if !bytes.ContainsAny(s.text[begin:end], "[<") {
		return
	}
	s.brackets, s.inactive, s.code = s.brackets[:0], 0, block.NewCodeSpans(s.text[begin:end])
	text := s.text
	escaped := -1 // the last character that a backslash took its meaning
	for at := begin; at < end; {
		c := text[at]
		if !special[c] {
			at++
			continue
		}
		switch c {
		case '\\':
			at++
			if at < end && punctuation(text[at]) {
				escaped = at
				at++
			}
		case '`':
			at = begin + s.code.End(at-begin)
		case '$':
			at = s.afterMath(at, end)
		case '%':
			at = s.afterComment(at, end)
		case '<':
			at = s.afterTag(at, end)
		case '[':
			image := at > begin && text[at-1] == '!' && escaped != at-1
			if at+1 < end && text[at+1] == '[' {
				if next, ok := s.wikilink(at, end, image); ok {
					at = next
					continue
				}
			}
			s.brackets = append(s.brackets, bracket{at, image})
			at++
		case ']':
			at = s.closeBracket(at, end)
		}
	}
}

// punctuation says whether a backslash takes a character its meaning.
func punctuation(c byte) bool {
	return '!' <= c && c <= '/' || ':' <= c && c <= '@' || '[' <= c && c <= '`' || '{' <= c && c <= '~'
}

// afterMath is where math that opens at at ends: "$$…$$" in the same paragraph, "$…$" in the same
// line, with no blank inside the dollars and no digit after them, as in Obsidian: two prices are
// no math.
func (s *scanner) afterMath(at, end int) int {
	text := s.text
	if at+1 < end && text[at+1] == '$' {
		if s.noDollars {
			return at + 2
		}
		if i := bytes.Index(text[at+2:end], []byte("$$")); i >= 0 {
			return at + 2 + i + 2
		}
		s.noDollars = true
		return at + 2
	}
	at++
	if at == end || at < s.noDollarBefore || blank(text[at]) {
		return at
	}
	next := at
search:
	for ; next < end; next++ {
		switch text[next] {
		case '\n':
			break search
		case '\\':
			if next+1 < end && text[next+1] != '\n' {
				next++
			}
		case '$':
			if !blank(text[next-1]) && (next+1 == end || text[next+1] < '0' || text[next+1] > '9') {
				return next + 1
			}
			if next+1 < end && text[next+1] == '$' {
				break search // it begins math of its own
			}
		}
	}
	s.noDollarBefore = next
	return at
}

// afterComment is where a comment that opens at at ends.
func (s *scanner) afterComment(at, end int) int {
	if at+1 == end || s.text[at+1] != '%' {
		return at + 1
	}
	if !s.noPercents {
		if i := bytes.Index(s.text[at+2:end], []byte("%%")); i >= 0 {
			return at + 2 + i + 2
		}
		s.noPercents = true
	}
	return at + 2
}

var (
	commentStart, commentEnd = []byte("<!--"), []byte("-->")

	// An attribute of an HTML tag and a tag, after CommonMark 0.31, section 6.6.
	attribute = lazyregexp.New(attributeForm)
	tag       = lazyregexp.New(`^<[A-Za-z][A-Za-z0-9-]*(?:` + attributeForm + `)*\s*/?>`)
)

const attributeForm = `\s+([A-Za-z_:][A-Za-z0-9_.:-]*)(?:\s*=\s*("[^"]*"|'[^']*'|[^\s"'=<>` + "`" + `]+))?`

// afterTag takes in the links of the HTML tag that opens at at, and returns where it ends, as does a comment.
func (s *scanner) afterTag(at, end int) int {
	if bytes.HasPrefix(s.text[at:end], commentStart) && !s.noCommentEnd {
		if i := bytes.Index(s.text[at+len("<!"):end], commentEnd); i >= 0 {
			return at + len("<!") + i + len(commentEnd)
		}
		if s.noCommentEnd = true; s.html {
			return end
		}
	}
	in := s.text[at : at+len(tag().Find(s.text[at:end]))]
	for _, m := range attribute().FindAllSubmatchIndex(in, -1) {
		if m[4] < 0 || !bytes.EqualFold(in[m[2]:m[3]], []byte("src")) && !bytes.EqualFold(in[m[2]:m[3]], []byte("href")) {
			continue
		}
		value := Span{at + m[4], at + m[5]}
		if c := in[m[4]]; c == '"' || c == '\'' {
			value = Span{value.Start + 1, value.End - 1}
		}
		l := Link{Kind: HTML, Whole: Span{at, at + len(in)}}
		if markdownParts(s.text, trimmed(s.text, value), &l) {
			s.add(l)
		}
	}
	return at + max(len(in), 1)
}

func blank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// wikilink takes in the one whose brackets open at at, and returns where it ends. ok is false
// where they open none: it has to end in its line, and before the next one begins.
func (s *scanner) wikilink(at, end int, embed bool) (next int, ok bool) {
	inner, ok := wikiInner(s.text, at+2, end)
	if !ok {
		return 0, false
	}
	l, ok := wikiParts(s.text, inner)
	if !ok {
		return 0, false
	}
	l.Whole = Span{at, inner.End + 2}
	if embed {
		l.Kind = Embed
		l.Whole.Start--
	}
	s.add(l)
	return l.Whole.End, true
}

// wikiInner is what stands between the brackets of a wikilink, the opening ones left of at.
func wikiInner(text []byte, at, end int) (inner Span, ok bool) {
	for i := at; i+1 < end; i++ {
		switch text[i] {
		case ']':
			if text[i+1] == ']' {
				return Span{at, i}, true
			}
		case '[':
			if text[i+1] == '[' || i == at {
				return Span{}, false
			}
		case '\n':
			return Span{}, false
		}
	}
	return Span{}, false
}

// wikiParts takes the inside of a wikilink apart. ok is false where it names nothing, or
// something outside the vault.
func wikiParts(text []byte, inner Span) (l Link, ok bool) {
	dest := inner
	if i := bytes.IndexByte(text[dest.Start:dest.End], '|'); i >= 0 {
		l.Alias = string(text[dest.Start+i+1 : inner.End])
		dest.End = dest.Start + i
		if i > 0 && text[dest.End-1] == '\\' { // in a table
			dest.End--
		}
	}
	if i := bytes.IndexByte(text[dest.Start:dest.End], '#'); i >= 0 {
		l.Anchor = string(bytes.TrimRight(text[dest.Start+i:dest.End], " \t"))
		dest.End = dest.Start + i
	}
	l.Dest = trimmed(text, dest)
	raw := text[l.Dest.Start:l.Dest.End]
	if len(raw) == 0 && l.Anchor == "" || bytes.Contains(raw, []byte("://")) {
		return Link{}, false
	}
	l.Path = string(raw)
	return l, true
}

// trimmed is a span without the blanks around it.
func trimmed(text []byte, s Span) Span {
	for s.Start < s.End && blank(text[s.Start]) {
		s.Start++
	}
	for s.End > s.Start && blank(text[s.End-1]) {
		s.End--
	}
	return s
}

// closeBracket takes in the Markdown link whose text ends at at, where one does, and returns
// where to go on.
func (s *scanner) closeBracket(at, end int) int {
	if len(s.brackets) == 0 {
		return at + 1
	}
	last := len(s.brackets) - 1
	open := s.brackets[last]
	s.brackets = s.brackets[:last]
	active := open.image || last >= s.inactive
	s.inactive = min(s.inactive, last)
	if !active || at+1 == end || s.text[at+1] != '(' {
		return at + 1
	}
	dest, after, ok := inlineDestination(s.text, at+2, end)
	if !ok {
		return at + 1
	}
	if !open.image {
		s.inactive = last
	}
	l := Link{Kind: Markdown, Whole: Span{open.at, after}}
	l.Alias = string(s.text[open.at+1 : at])
	if open.image {
		l.Kind = Image
		l.Whole.Start--
	}
	if markdownParts(s.text, dest, &l) {
		s.add(l)
	}
	return after
}
