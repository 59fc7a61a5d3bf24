package markdown

import (
	"bytes"
	"sync"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// markdownParser is created on first use, after the first frame.
//
// Link reference definitions are disabled on purpose: their lines, such as "[^1]: word", would disappear from the
// screen, and a late definition would change text that is already drawn.
var markdownParser = sync.OnceValue(func() parser.Parser {
	blocks := append(parser.DefaultBlockParsers(), util.Prioritized(asideParser{}, 650), util.Prioritized(matterParser{}, 150))
	for i, b := range blocks {
		if b.Value == parser.NewListParser() || b.Value == parser.NewBlockquoteParser() {
			blocks[i].Value = boundedParser{b.Value.(parser.BlockParser)}
		}
	}
	p := parser.NewParser(
		parser.WithBlockParsers(blocks...),
		parser.WithInlineParsers(inlineParsers()...),
	)
	return goldmark.New(goldmark.WithParser(p), goldmark.WithExtensions(
		extension.Table, extension.Strikethrough, extension.TaskList, extension.Linkify,
	)).Parser()
})

// maxNesting bounds the depth of blocks, because deep nesting is slow to parse. Deeper blocks remain text.
const maxNesting = 100

// boundedParser opens no block beyond maxNesting.
type boundedParser struct{ parser.BlockParser }

func (p boundedParser) Open(parent ast.Node, r text.Reader, pc parser.Context) (ast.Node, parser.State) {
	depth := 0
	for n := parent; n != nil; n = n.Parent() {
		depth++
	}
	if depth > maxNesting {
		return nil, parser.NoChildren
	}
	return p.BlockParser.Open(parent, r, pc)
}

// parse parses src; the blocks are the document's children.
func parse(src []byte) ast.Node {
	return markdownParser().Parse(text.NewReader(src))
}

// position returns the offset at which a block begins.
func position(n ast.Node) int {
	if n.Kind() == extast.KindTable && n.FirstChild() != nil {
		return n.FirstChild().Pos() // the table's own position belongs to a paragraph before it
	}
	return n.Pos()
}

// kindOurs is the kind of all nodes unknown to goldmark; they are distinguished by type.
var kindOurs = ast.NewNodeKind("Obsidian")

// inlineNode is embedded in inline nodes.
type inlineNode struct{ ast.BaseInline }

func (*inlineNode) Kind() ast.NodeKind { return kindOurs }

func (n *inlineNode) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }

// rawBlock is embedded in block nodes whose content is not Markdown.
type rawBlock struct {
	ast.BaseBlock
	closed bool
}

func (*rawBlock) Kind() ast.NodeKind { return kindOurs }

func (*rawBlock) IsRaw() bool { return true }

func (n *rawBlock) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }

// rawParser is embedded in the parsers of raw blocks.
type rawParser struct{}

func (rawParser) Close(ast.Node, text.Reader, parser.Context) {}

func (rawParser) CanInterruptParagraph() bool { return true }

func (rawParser) CanAcceptIndentedLine() bool { return false }

// wikilink is [[target|label]] or, embedded, ![[target]].
type wikilink struct {
	inlineNode
	target, label string
	tail          string // letters that directly follow, as in [[Tree]]s
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
	rest := line
	embed := rest[0] == '!'
	if embed {
		rest = rest[1:]
	}
	if !bytes.HasPrefix(rest, []byte("[[")) {
		return nil
	}
	end := bytes.Index(rest, []byte("]]"))
	if end < 3 {
		return nil
	}
	inner := rest[2:end]
	// A name may contain a bracket, but not a link or another wikilink.
	if bytes.IndexByte(inner, '\n') >= 0 || bytes.Contains(inner, []byte("[[")) || bytes.Contains(inner, []byte("](")) {
		return nil
	}
	// In a table the bar is written as \|.
	target, label, _ := bytes.Cut(bytes.ReplaceAll(inner, []byte(`\|`), []byte("|")), []byte("|"))
	n := &wikilink{
		target: string(bytes.TrimSpace(target)),
		label:  string(bytes.TrimSpace(label)),
		embed:  embed,
	}
	if n.shown() == "" {
		return nil
	}
	if n.embed {
		n.label = withoutSize(n.label)
	} else {
		n.tail = tailOf(rest[end+2:])
	}
	block.Advance(len(line) - len(rest) + end + 2 + len(n.tail))
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

// maxOpenLinks bounds the unclosed links of a block: goldmark scans all of them at each bracket, which takes seconds
// for a text made of “[a](”.
const maxOpenLinks = 100

// boundedLinks is goldmark's link parser with at most maxOpenLinks open; further brackets are text.
type boundedLinks struct{ parser.InlineParser }

var openLinksKey = parser.NewContextKey()

func (b boundedLinks) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	open, _ := pc.Get(openLinksKey).(int)
	line, _ := block.PeekLine()
	if line[0] == ']' {
		n := b.InlineParser.Parse(parent, block, pc)
		if n != nil && open > 0 {
			pc.Set(openLinksKey, open-1)
		}
		return n
	}
	if open >= maxOpenLinks {
		return nil
	}
	n := b.InlineParser.Parse(parent, block, pc)
	if n != nil {
		pc.Set(openLinksKey, open+1)
	}
	return n
}

// CloseBlock resets the count at the end of a block.
func (b boundedLinks) CloseBlock(parent ast.Node, block text.Reader, pc parser.Context) {
	pc.Set(openLinksKey, 0)
	if c, ok := b.InlineParser.(parser.CloseBlocker); ok {
		c.CloseBlock(parent, block, pc)
	}
}

// inlineParsers returns goldmark's parsers, with links bounded, and our own.
func inlineParsers() []util.PrioritizedValue {
	return []util.PrioritizedValue{
		util.Prioritized(parser.NewCodeSpanParser(), 100),
		util.Prioritized(taskMarkParser{}, 140),
		util.Prioritized(wikilinkParser{}, 150),
		util.Prioritized(verbatimParser{}, 160),
		util.Prioritized(boundedLinks{parser.NewLinkParser()}, 200),
		util.Prioritized(parser.NewAutoLinkParser(), 300),
		util.Prioritized(parser.NewRawHTMLParser(), 400),
		util.Prioritized(parser.NewEmphasisParser(), 500),
		util.Prioritized(markParser{}, 500),
	}
}
