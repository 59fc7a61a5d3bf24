package prosediff

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff/lcs"
	"github.com/rivo/uniseg"
)

// token is a word, a run of white space, or a character that is neither.
type token struct {
	text string
	kind tokenKind
}

type tokenKind int8

const (
	aWord tokenKind = iota
	aSpace
	aMark
)

// tokens cuts a text into tokens, never within what is one character to a reader.
func tokens(text string) []token {
	out := make([]token, 0, len(text)/4+1)
	for text != "" {
		kind, n := nextToken(text)
		out = append(out, token{text[:n], kind})
		text = text[n:]
	}
	return out
}

// nextToken is the token that a text begins with, and its length in bytes.
func nextToken(text string) (tokenKind, int) {
	r, n := utf8.DecodeRuneInString(text)
	switch {
	case unicode.IsSpace(r):
		for n < len(text) {
			r, size := utf8.DecodeRuneInString(text[n:])
			if !unicode.IsSpace(r) {
				break
			}
			n += size
		}
		if more := settling(text[n:]); more > 0 { // on the last of the spaces
			return aMark, n + more
		}
		return aSpace, n
	case standsAlone(r):
		return aWord, n + settling(text[n:])
	case inWord(r):
		return aWord, word(text, n)
	case r < utf8.RuneSelf:
		return aMark, n + settling(text[n:])
	}
	cluster, _, _, _ := uniseg.FirstGraphemeClusterInString(text, -1)
	return aMark, max(len(cluster), n)
}

// word is the length of the word whose first character has n bytes.
func word(text string, n int) int {
	for n < len(text) {
		r, size := utf8.DecodeRuneInString(text[n:])
		switch {
		case standsAlone(r):
			return n
		case inWord(r) || joinsOn(r):
		case strings.ContainsRune("'’.,", r):
			// as in don't and 1,250.00, where it stands within
			next, _ := utf8.DecodeRuneInString(text[n+size:])
			before, _ := utf8.DecodeLastRuneInString(text[:n])
			apostrophe := r == '\'' || r == '’'
			if apostrophe && (!unicode.IsLetter(next) || !unicode.IsLetter(before)) || !apostrophe && (!unicode.IsDigit(next) || !unicode.IsDigit(before)) {
				return n
			}
		default:
			return n
		}
		n += size
	}
	return n
}

func inWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' }

// joinsOn says whether a character belongs to the one before it.
func joinsOn(r rune) bool {
	return r >= 0x300 && (unicode.Is(unicode.M, r) || r == 0x200c || r == 0x200d || r >= 0x1f3fb && r <= 0x1f3ff)
}

// settling is how many bytes of a text belong to the character before it.
func settling(text string) int {
	n := 0
	for n < len(text) {
		r, size := utf8.DecodeRuneInString(text[n:])
		if !joinsOn(r) {
			break
		}
		n += size
	}
	return n
}

// standsAlone says whether a character of a script without spaces is a word of its own.
func standsAlone(r rune) bool {
	return r >= 0x0e00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

func countWords(text string) int {
	n := 0
	for text != "" {
		kind, size := nextToken(text)
		if kind == aWord {
			n++
		}
		text = text[size:]
	}
	return n
}

// flows says that a kind's spaces and line breaks are no more than that: it may be wrapped anew.
func flows(k Kind) bool {
	return k == Paragraph || k == Item || k == Quote || k == Heading || k == Row
}

// numbers gives equal tokens equal numbers. In what flows, one space is as good as another, but for
// a carriage return: where lines end in several ways, which way is no matter of wrapping.
type numbers struct {
	of    map[string]rune
	flows bool
}

func (n *numbers) number(t token) rune {
	text := t.text
	if t.kind == aSpace && n.flows {
		if !strings.Contains(text, "\r") {
			return 0
		}
		text = "\r"
	}
	id, ok := n.of[text]
	if !ok {
		id = rune(len(n.of) + 1)
		n.of[text] = id
	}
	return id
}

func (n *numbers) all(ts []token) []rune {
	out := make([]rune, len(ts))
	for i, t := range ts {
		out[i] = n.number(t)
	}
	return out
}

// wordDiff is how the words of a passage change; nil: only its spaces do, if anything.
func wordDiff(before, after string, kind Kind) []Span {
	a, b := tokens(before), tokens(after)
	n := numbers{map[string]rune{}, flows(kind)}
	ids, newIDs := n.all(a), n.all(b)
	var out []Span
	at, differs := 0, false // of b
	for _, d := range lcs.DiffRunes(ids, newIDs) {
		out = span(out, Same, b[at:d.ReplStart])
		out = span(out, Removed, a[d.Start:d.End])
		out = span(out, Added, b[d.ReplStart:d.ReplEnd])
		at, differs = d.ReplEnd, true
	}
	if !differs {
		return nil
	}
	return slide(calm(span(out, Same, b[at:])), n.flows)
}

// slide puts the space of what is only put in, or only taken out, behind it where it stood before
// it: a word comes with the space after it.
func slide(spans []Span, flows bool) []Span {
	for i := 1; i+1 < len(spans); i++ {
		prev, s, next := &spans[i-1], &spans[i], &spans[i+1]
		if s.Op == Same || prev.Op != Same || next.Op != Same {
			continue
		}
		lead, behind := leadingSpace(s.Text), leadingSpace(next.Text)
		switch {
		case lead == "" || len(lead) == len(s.Text) || behind == "" || lead != behind && !flows:
		case s.Op == Added:
			prev.Text, s.Text, next.Text = prev.Text+lead, s.Text[len(lead):]+behind, next.Text[len(behind):]
		default:
			prev.Text, s.Text, next.Text = prev.Text+behind, s.Text[len(lead):]+lead, next.Text[len(behind):]
		}
	}
	return spans
}

func leadingSpace(text string) string {
	if kind, n := nextToken(text); text != "" && kind == aSpace {
		return text[:n]
	}
	return ""
}

// span adds tokens to spans; removed text goes before what is added in its place.
func span(out []Span, op Op, ts []token) []Span {
	if len(ts) == 0 {
		return out
	}
	size := 0
	for _, t := range ts {
		size += len(t.text)
	}
	var b strings.Builder
	b.Grow(size)
	for _, t := range ts {
		b.WriteString(t.text)
	}
	return append(out, Span{op, b.String()})
}

// calm takes what is between two changes, and holds no word, into them: “[-old-]{+new+}
// [-text-]{+words+}” reads worse than “[-old text-]{+new words+}”.
func calm(spans []Span) []Span {
	var out []Span
	for i := 0; i < len(spans); {
		if spans[i].Op == Same {
			out = append(out, spans[i])
			i++
			continue
		}
		var gone, come strings.Builder
		for i < len(spans) {
			s := spans[i]
			if s.Op == Same && (i+1 == len(spans) || countWords(s.Text) > 0 || !both(spans, i)) {
				break
			}
			if s.Op != Added {
				gone.WriteString(s.Text)
			}
			if s.Op != Removed {
				come.WriteString(s.Text)
			}
			i++
		}
		if gone.Len() > 0 {
			out = append(out, Span{Removed, gone.String()})
		}
		if come.Len() > 0 {
			out = append(out, Span{Added, come.String()})
		}
	}
	return out
}

// both says whether a word is replaced on each side of the span at i: what is only taken out or
// only put in is shown as that.
func both(spans []Span, i int) bool {
	return i >= 2 && spans[i-1].Op == Added && spans[i-2].Op == Removed &&
		i+2 < len(spans) && spans[i+1].Op == Removed && spans[i+2].Op == Added
}
