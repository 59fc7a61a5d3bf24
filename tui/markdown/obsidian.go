package markdown

import (
	"bytes"
	"cmp"
	"strings"
	"unicode"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"chatvault/internal/base/lazyregexp"
	"chatvault/tui/theme"
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

// raw is a block of raw text between two fences that Obsidian adds to Markdown: a formula between $$, or front matter
// between ---. A formula without a closing fence extends to the end, front matter to an empty line.
type raw struct {
	ast.BaseBlock
	fence  string
	closed bool
}

var rawKind = ast.NewNodeKind("Raw")

func (*raw) Kind() ast.NodeKind { return rawKind }

func (*raw) IsRaw() bool { return true }

func (n *raw) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }

// The fences.
const (
	formula     = "$$"
	frontMatter = "---"
)

var yamlKey = lazyregexp.New(`^[\p{L}_][\p{L}\p{N}_ .-]{0,60}:(\s|$)`)

type rawParser struct{}

func (rawParser) Trigger() []byte { return []byte{'$', '-'} }

func (rawParser) Close(ast.Node, text.Reader, parser.Context) {}

func (rawParser) CanInterruptParagraph() bool { return true }

func (rawParser) CanAcceptIndentedLine() bool { return false }

// Open starts a block at a line that has one fence, at its beginning.
func (rawParser) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	line, segment := reader.PeekLine()
	pos := pc.BlockOffset()
	if pos < 0 || pos > 3 || segment.Padding != 0 {
		return nil, parser.NoChildren
	}
	n := &raw{fence: formula}
	if line[pos] == '-' {
		n.fence = frontMatter
	}
	rest, ok := bytes.CutPrefix(line[pos:], []byte(n.fence))
	if !ok || bytes.Contains(rest, []byte(n.fence)) || bytes.HasPrefix(rest, []byte(n.fence[:1])) {
		return nil, parser.NoChildren
	}
	if n.fence == frontMatter && (pos > 0 || !util.IsBlank(rest) || !beginsMatter(parent, reader.Source()[segment.Stop:], pc)) {
		return nil, parser.NoChildren
	}
	if !util.IsBlank(rest) {
		n.Lines().Append(segment.WithStart(segment.Stop - len(rest)))
	}
	return n, parser.NoChildren
}

// beginsMatter reports whether a rule begins front matter: it is not the underline of a heading, and the next line is
// a property. The next line must be complete, so that a stream is drawn like the whole text.
func beginsMatter(parent ast.Node, after []byte, pc parser.Context) bool {
	if above := pc.LastOpenedBlock().Node; above != nil && ast.IsParagraph(above) && above.Parent() == parent {
		return false
	}
	next, _, whole := bytes.Cut(after, []byte("\n"))
	return whole && yamlKey().Match(next)
}

// Continue adds lines up to the closing fence.
func (rawParser) Continue(node ast.Node, reader text.Reader, _ parser.Context) parser.State {
	n, ok := node.(*raw)
	line, segment := reader.PeekLine()
	if !ok || n.closed || n.fence == frontMatter && util.IsBlank(line) {
		return parser.Close
	}
	end := bytes.Index(line, []byte(n.fence))
	if n.fence == frontMatter && string(bytes.TrimRight(line, "\n")) != n.fence {
		end = -1
	}
	reader.AdvanceToEOL()
	if end < 0 {
		segment.ForceNewline = true
		n.Lines().Append(segment)
		return parser.Continue | parser.NoChildren
	}
	if len(bytes.TrimSpace(line)) > len(n.fence) { // text before the fence
		n.Lines().Append(segment)
	}
	n.closed = true
	return parser.Close
}

// raw draws a formula like code and front matter muted. Front matter that does not end is drawn as a rule and the
// blocks after it.
func (r *Renderer) raw(n *raw, c context) []string {
	source := linesOf(n, c.src)
	text := visible(strings.TrimRight(source, "\n"))
	switch {
	case n.fence == formula:
		c, indent := c.inside(codeIndent)
		pad := strings.Repeat(" ", indent)
		return Prefix(Wrap(text, r.styles.Code, c.width), pad, pad)
	case n.closed:
		return Wrap(text, r.styles.FrontMatter, c.width)
	}
	out := []string{theme.Styled(r.styles.Rule, strings.Repeat("─", min(c.width, 40))), ""}
	c.src = []byte(source)
	return append(out, r.blocks(parse(c.src).FirstChild(), c)...)
}
