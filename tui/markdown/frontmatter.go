package markdown

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"chatvault/internal/lazyregexp"
	"chatvault/tui/theme"
	"chatvault/vault/block"
)

var yamlKey = lazyregexp.New(`^[\p{L}_][\p{L}\p{N}_ .-]{0,60}:(\s|$)`)

// frontMatter finds YAML front matter without an empty line at the start of text: its length in
// bytes, fences included. open reports whether it began and has not ended yet, which only matters
// while text is still arriving.
func frontMatter(text string) (length int, open bool) {
	rest, begun := strings.CutPrefix(text, "---\n")
	if !begun {
		return 0, text != "" && strings.HasPrefix("---", text)
	}
	_, end, body := block.FrontMatter([]byte(text))
	if body == 0 {
		end = len(text)
	}
	first, _, whole := strings.Cut(rest, "\n")
	if whole && !yamlKey().MatchString(first) || strings.Contains(text[:end], "\n\n") {
		return 0, false
	}
	return body, body == 0
}

// matter is the front matter of a note that is quoted in the middle of a text: a rule with a
// property right below it, and all up to the next rule. What no rule ends is none.
type matter struct{ rawBlock }

type matterParser struct{ rawParser }

func (matterParser) Trigger() []byte { return []byte{'-'} }

// Open looks at the line below: once that is there it is decided, so that a stream is drawn as the
// whole is.
func (matterParser) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	line, segment := reader.PeekLine()
	if pc.BlockOffset() != 0 || string(bytes.TrimRight(line, "\n")) != "---" || segment.Padding != 0 {
		return nil, parser.NoChildren
	}
	if above := pc.LastOpenedBlock().Node; above != nil && ast.IsParagraph(above) && above.Parent() == parent {
		return nil, parser.NoChildren // it makes a heading of that
	}
	next, _, whole := bytes.Cut(reader.Source()[segment.Stop:], []byte("\n"))
	if !whole || !yamlKey().Match(next) {
		return nil, parser.NoChildren
	}
	return &matter{}, parser.NoChildren
}

func (matterParser) Continue(node ast.Node, reader text.Reader, _ parser.Context) parser.State {
	n, ok := node.(*matter)
	line, segment := reader.PeekLine()
	if !ok || n.closed || util.IsBlank(line) {
		return parser.Close
	}
	if string(bytes.TrimRight(line, "\n")) == "---" {
		n.closed = true
		reader.AdvanceToEOL()
		return parser.Close
	}
	segment.ForceNewline = true
	n.Lines().Append(segment)
	reader.AdvanceToEOL()
	return parser.Continue | parser.NoChildren
}

// matter draws front matter quietly; what is none is a rule and what stands below it.
func (r *Renderer) matter(n *matter, c context) []string {
	source := linesOf(n, c.src)
	if n.closed {
		return Wrap(visible(source), r.styles.FrontMatter, c.width)
	}
	out := []string{theme.Styled(r.styles.Rule, strings.Repeat("─", min(c.width, 40))), ""}
	c.src = []byte(source)
	return append(out, r.blocks(parse(c.src), c)...)
}
