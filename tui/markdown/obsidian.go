package markdown

import (
	"bytes"
	"cmp"
	"strings"
	"unicode"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"

	"chatvault/internal/base/lazyregexp"
)

// inlineNode is embedded in the inline nodes that Obsidian adds to Markdown.
type inlineNode struct{ ast.BaseInline }

var inlineKind = ast.NewNodeKind("Obsidian")

func (*inlineNode) Kind() ast.NodeKind { return inlineKind }

func (n *inlineNode) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }

// wikilink is [[target|label]] or, embedded, ![[target]].
type wikilink struct {
	inlineNode
	target, label string
	embed         bool
}

// shown returns the link's text: the label, or the note with its heading.
func (n *wikilink) shown() string {
	if n.label != "" {
		return n.label
	}
	note, heading, _ := strings.Cut(n.target, "#")
	if heading == "" || heading[0] == '^' {
		return cmp.Or(note, n.target)
	}
	return strings.TrimPrefix(note+headingMark+strings.ReplaceAll(heading, "#", headingMark), headingMark)
}

// headingMark precedes a heading in the text of a link.
const headingMark = " › "

type wikilinkParser struct{}

func (wikilinkParser) Trigger() []byte { return []byte{'[', '!'} }

func (wikilinkParser) Parse(_ ast.Node, block text.Reader, _ parser.Context) ast.Node {
	line, _ := block.PeekLine()
	rest, embed := bytes.CutPrefix(line, []byte("!"))
	inner, ok := bytes.CutPrefix(rest, []byte("[["))
	if !ok {
		return nil
	}
	inner, _, closed := bytes.Cut(inner, []byte("]]"))
	// A name may contain a bracket, but not a link or another wikilink.
	if !closed || bytes.IndexByte(inner, '\n') >= 0 || bytes.Contains(inner, []byte("[[")) || bytes.Contains(inner, []byte("](")) {
		return nil
	}
	// In a table the bar is written as \|.
	target, label, _ := bytes.Cut(bytes.ReplaceAll(inner, []byte(`\|`), []byte("|")), []byte("|"))
	n := &wikilink{target: string(bytes.TrimSpace(target)), label: string(bytes.TrimSpace(label)), embed: embed}
	if n.shown() == "" {
		return nil
	}
	block.Advance(len(line) - len(rest) + len(inner) + 4)
	return n
}

// verbatim is text drawn as written, which a Markdown parser would misread: a formula, a tag or a highlight, as
// its first character tells.
type verbatim struct {
	inlineNode
	text text.Segment
}

type verbatimParser struct{}

func (verbatimParser) Trigger() []byte { return []byte{'$', '#', '='} }

var (
	// A dollar before a space does not close a formula, nor one before a digit, as in prices.
	inlineMath = lazyregexp.New(`^(?:\$\$[^\s$][^$\n]*\$\$|\$[^\s$](?:[^$\n]*[^\s$\\])?\$)(?:[^0-9]|$)`)
	highlight  = lazyregexp.New(`^==[^=\s](?:[^=\n]*[^=\s])?==`)
	// tag does not match digits alone.
	tag = lazyregexp.New(`^#[\p{N}\p{M}]*[\p{L}_/-][\p{L}\p{N}\p{M}_/-]*`)
)

func (verbatimParser) Parse(_ ast.Node, block text.Reader, _ parser.Context) ast.Node {
	before := block.PrecendingCharacter()
	line, segment := block.PeekLine()
	length := 0
	switch {
	case line[0] == '$':
		length = bytes.LastIndexByte(inlineMath().Find(line), '$') + 1
	case line[0] == '=':
		length = len(highlight().Find(line))
	case unicode.IsSpace(before) || before == '(':
		length = len(tag().Find(line))
	}
	if length == 0 {
		return nil
	}
	block.Advance(length)
	return &verbatim{text: segment.WithStop(segment.Start + length)}
}

// verbatim draws verbatim text.
func (w *inliner) verbatim(n *verbatim, open string) {
	text := string(n.text.Value(w.src))
	style := map[byte]string{'$': w.r.styles.Code, '#': w.r.open.accent, '=': w.r.styles.Mark}[text[0]]
	if text[0] == '=' {
		text = text[2 : len(text)-2]
	}
	w.add(visible(text), open+style)
}
