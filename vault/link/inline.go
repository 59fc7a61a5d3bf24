package link

import (
	"bytes"

	"chatvault/internal/base/lazyregexp"
	"chatvault/vault/block"
)

// inlineState is the state of the search for links in one paragraph.
type inlineState struct {
	brackets []bracket
	inactive int // brackets below this index can only open images, since links do not nest

	plain        block.Inline
	noCommentEnd bool // the rest of the paragraph closes no HTML comment, nor, with noComments, the rest of the text
	noComments   bool
	html         bool // the paragraph belongs to an HTML block
}

// bracket is an opening bracket that may begin a Markdown link.
type bracket struct {
	at    int
	image bool
}

// inline adds the links in the text of a paragraph.
func (s *scanner) inline(begin, end int) {
	s.noCommentEnd = false
	if !bytes.ContainsAny(s.text[begin:end], "[<") {
		return
	}
	s.brackets, s.inactive, s.plain = s.brackets[:0], 0, block.NewInline(s.text[begin:end])
	text := s.text
	escaped := -1 // the last character escaped by a backslash
	for at := begin; at < end; {
		switch text[at] {
		case '\\':
			at++
			if at < end && punctuation(text[at]) {
				escaped = at
				at++
			}
		case '`', '$', '%':
			at = begin + s.plain.Skip(at-begin)
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
		default:
			at++
		}
	}
}

// punctuation reports whether a backslash escapes the character.
func punctuation(c byte) bool {
	return '!' <= c && c <= '/' || ':' <= c && c <= '@' || '[' <= c && c <= '`' || '{' <= c && c <= '~'
}

var (
	commentStart, commentEnd = []byte("<!--"), []byte("-->")

	// attribute and tag match an HTML attribute and an HTML tag (CommonMark 0.31, section 6.6).
	attribute = lazyregexp.New(attributeForm)
	tag       = lazyregexp.New(`^<[A-Za-z][A-Za-z0-9-]*(?:` + attributeForm + `)*\s*/?>`)
)

const attributeForm = `\s+([A-Za-z_:][A-Za-z0-9_.:-]*)(?:\s*=\s*("[^"]*"|'[^']*'|[^\s"'=<>` + "`" + `]+))?`

// afterTag adds the links of the HTML tag at offset at and returns the end of the tag or comment.
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

// wikilink adds the wikilink that opens at offset at and returns its end. ok is false if it is none: it must end on
// its line and before the next one opens.
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

// wikiInner returns the inside of a wikilink. at is the offset after the opening brackets.
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

// wikiParts splits the inside of a wikilink. ok is false if it names nothing or leads out of the vault.
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
		l.anchorAt = trimmed(text, Span{dest.Start + i, dest.End})
		l.Anchor = string(text[l.anchorAt.Start:l.anchorAt.End])
		dest.End = dest.Start + i
	}
	l.Dest = trimmed(text, dest)
	l.Dest.Start += len(crossVault().Find(text[l.Dest.Start:l.Dest.End]))
	raw := text[l.Dest.Start:l.Dest.End]
	if len(raw) == 0 && l.Anchor == "" || bytes.Contains(raw, []byte("://")) {
		return Link{}, false
	}
	l.Path = string(raw)
	return l, true
}

// crossVault matches what precedes the note in a link to another vault of a Dendron workspace, whose vaults are one here.
var crossVault = lazyregexp.New(`^dendron://[^/]+/`)

// trimmed returns a span without surrounding blanks.
func trimmed(text []byte, s Span) Span {
	for s.Start < s.End && blank(text[s.Start]) {
		s.Start++
	}
	for s.End > s.Start && blank(text[s.End-1]) {
		s.End--
	}
	return s
}

// closeBracket adds the Markdown link whose text ends at offset at, if there is one, and returns the offset to
// continue at.
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
