package markdown

import (
	"strings"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"
)

const (
	// maxHighlight bounds the code that is coloured, in bytes: the lexers are slow.
	maxHighlight = 64 << 10
	// maxGrowing is the same while code is still arriving and is drawn again and again.
	maxGrowing = 2 << 10
	codeIndent = 2
)

// code draws a code block: indented, coloured where the language is known,
// long lines wrapped so that nothing is cut.
func (r *Renderer) code(code, language string, stops []int, c context) []string {
	code = strings.TrimRight(code, "\n")
	c, indent := c.inside(codeIndent)
	limit := maxHighlight
	if c.growing {
		limit = maxGrowing
	}
	spans := []span{{text: code}}
	if language != "" && len(code) <= limit && r.styles.Colorful {
		spans = r.highlight(code, language)
	}
	spans = c.seek.mark(spans, stops)
	pad := strings.Repeat(" ", indent)
	return prefix(wrap(spans, c.width), pad, pad)
}

func (r *Renderer) highlight(code, language string) []span {
	lexer := lexers.Get(language)
	if lexer == nil {
		return []span{{text: code}}
	}
	tokens, err := lexer.Tokenise(nil, code)
	if err != nil {
		return []span{{text: code}}
	}
	var spans []span
	for t := tokens(); t != chroma.EOF; t = tokens() {
		open := r.tokenStyle(t.Type)
		if n := len(spans); n > 0 && spans[n-1].open == open {
			spans[n-1].text += t.Value
		} else {
			spans = append(spans, span{text: t.Value, open: open})
		}
	}
	// Lexers may add a final newline of their own.
	if n := len(spans); n > 0 {
		spans[n-1].text = strings.TrimSuffix(spans[n-1].text, "\n")
	}
	return spans
}

func (r *Renderer) tokenStyle(t chroma.TokenType) string {
	switch {
	case t.InCategory(chroma.Comment):
		return r.open.comment
	case t.InCategory(chroma.Keyword):
		return r.open.keyword
	case t.InSubCategory(chroma.LiteralString):
		return r.open.str
	case t.InSubCategory(chroma.LiteralNumber):
		return r.open.number
	case t == chroma.NameFunction, t == chroma.NameClass, t == chroma.NameTag, t == chroma.NameBuiltin,
		t == chroma.GenericHeading, t == chroma.GenericSubheading:
		return r.open.name
	case t == chroma.GenericInserted:
		return r.open.ok
	case t == chroma.GenericDeleted:
		return r.open.err
	}
	return ""
}
