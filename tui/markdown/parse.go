package markdown

import (
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
// screen, and a late definition would change text that is already drawn. So are headings by underlines, which would
// take the end of front matter for one.
var markdownParser = sync.OnceValue(func() parser.Parser {
	blocks := parser.DefaultBlockParsers()[1:] // without headings by underlines
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
		util.Prioritized(wikilinkParser{}, 150),
		util.Prioritized(verbatimParser{}, 160),
		util.Prioritized(boundedLinks{parser.NewLinkParser()}, 200),
		util.Prioritized(parser.NewAutoLinkParser(), 300),
		util.Prioritized(parser.NewRawHTMLParser(), 400),
		util.Prioritized(parser.NewEmphasisParser(), 500),
	}
}
