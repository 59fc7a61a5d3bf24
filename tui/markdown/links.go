package markdown

import (
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// maxOpenLinks bounds how many links of one block may be begun and not ended: goldmark looks
// at all of them again at each bracket, which costs seconds in a text made of “[a](”.
const maxOpenLinks = 100

// boundedLinks is goldmark's parser of links, which takes a bracket beyond the bound for text.
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

// CloseBlock ends what a block left open.
func (b boundedLinks) CloseBlock(parent ast.Node, block text.Reader, pc parser.Context) {
	pc.Set(openLinksKey, 0)
	if c, ok := b.InlineParser.(parser.CloseBlocker); ok {
		c.CloseBlock(parent, block, pc)
	}
}

// inlineParsers are goldmark's, with links bounded.
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
