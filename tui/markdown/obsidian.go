package markdown

import (
	"bytes"
	"unicode"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"

	"chatvault/internal/lazyregexp"
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

// shown returns the link's text.
func (n *wikilink) shown() string {
	if n.label != "" {
		return n.label
	}
	return n.target
}

type wikilinkParser struct{}

func (wikilinkParser) Trigger() []byte { return []byte{'[', '!'} }

func (wikilinkParser) Parse(_ ast.Node, block text.Reader, _ parser.Context) ast.Node {
	line, _ := block.PeekLine()
	rest, embed := bytes.CutPrefix(line, []byte("!"))
	inner, _, closed := bytes.Cut(rest, []byte("]]"))
	inner, ok := bytes.CutPrefix(inner, []byte("[["))
	// A name may contain a bracket, but not a link or another wikilink.
	if !ok || !closed || bytes.IndexByte(inner, '\n') >= 0 || bytes.Contains(inner, []byte("[[")) || bytes.Contains(inner, []byte("](")) {
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

// mark is ==highlighted== text.
type mark struct{ inlineNode }

type markDelimiter struct{}

func (markDelimiter) IsDelimiter(b byte) bool { return b == '=' }

func (markDelimiter) CanOpenCloser(opener, closer *parser.Delimiter) bool {
	return opener.Char == closer.Char
}

func (markDelimiter) OnMatch(int) ast.Node { return &mark{} }

type markParser struct{}

func (markParser) Trigger() []byte { return []byte{'='} }

func (markParser) Parse(_ ast.Node, block text.Reader, pc parser.Context) ast.Node {
	before := block.PrecendingCharacter()
	line, segment := block.PeekLine()
	d := parser.ScanDelimiter(line, before, 2, markDelimiter{})
	if d == nil || d.OriginalLength != 2 || before == '=' {
		return nil
	}
	d.Segment = segment.WithStop(segment.Start + d.OriginalLength)
	block.Advance(d.OriginalLength)
	pc.PushDelimiter(d)
	return d
}

func (markParser) CloseBlock(ast.Node, parser.Context) {}

// verbatim is text drawn as written, which a Markdown parser would misread: a formula, a comment or a tag, as its
// first character tells.
type verbatim struct {
	inlineNode
	text text.Segment
}

type verbatimParser struct{}

func (verbatimParser) Trigger() []byte { return []byte{'$', '%', '#'} }

var (
	comment = lazyregexp.New(`^%%.*?%%`)
	// tag does not match digits alone.
	tag = lazyregexp.New(`^#[\p{N}\p{M}]*[\p{L}_/-][\p{L}\p{N}\p{M}_/-]*`)
)

func (verbatimParser) Parse(_ ast.Node, block text.Reader, _ parser.Context) ast.Node {
	before := block.PrecendingCharacter()
	line, segment := block.PeekLine()
	length := 0
	switch {
	case line[0] == '$':
		length = mathLength(line)
	case line[0] == '%':
		length = len(comment().Find(line))
	case unicode.IsSpace(before) || before == '(':
		length = len(tag().Find(line))
	}
	if length == 0 {
		return nil
	}
	block.Advance(length)
	return &verbatim{text: segment.WithStop(segment.Start + length)}
}

// maxMath bounds an inline formula, in bytes.
const maxMath = 1000

// mathLength returns the length of the formula at the start of line, or 0. A dollar before a space, or before a digit
// as in prices, does not close one.
func mathLength(line []byte) int {
	line = bytes.TrimRight(line[:min(len(line), maxMath)], "\n")
	fence := 1
	if bytes.HasPrefix(line, []byte("$$")) {
		fence = 2
	}
	if len(line) <= 2*fence || line[fence] == ' ' || line[fence] == '$' {
		return 0
	}
	for i := fence + 1; i < len(line); i++ {
		switch {
		case line[i] == '\\':
			i++
		case line[i] != '$':
		case line[i-1] == ' ' && fence == 1:
			return 0
		case fence == 2 && (i+1 == len(line) || line[i+1] != '$'):
		case fence == 1 && i+1 < len(line) && line[i+1] >= '0' && line[i+1] <= '9':
			return 0
		default:
			return i + fence
		}
	}
	return 0
}

// verbatim draws verbatim text.
func (w *inliner) verbatim(n *verbatim, open string) {
	text := string(n.text.Value(w.src))
	style := map[byte]string{'$': w.r.styles.Code, '%': w.r.open.muted, '#': w.r.open.accent}[text[0]]
	w.add(visible(text), open+style)
}
