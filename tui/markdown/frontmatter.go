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

// frontMatter returns the length in bytes, including fences, of YAML front matter without an empty line at the start
// of text. open reports whether it has begun and not ended, which matters while text is still arriving.
func frontMatter(text string) (length int, open bool) {
	rest, begun := strings.CutPrefix(text, "---\n")
	if !begun {
		return 0, text != "" && "---"[:min(len(text), 3)] == text
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

// matter is front matter quoted within a text: a rule followed by a property, up to the next rule. Without that rule
// it is not front matter.
type matter struct{ rawBlock }

type matterParser struct{ rawParser }

func (matterParser) Trigger() []byte { return []byte{'-'} }

// Open decides by the next line, which must be complete, so that a stream is drawn like the whole text.
func (matterParser) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	line, segment := reader.PeekLine()
	if pc.BlockOffset() != 0 || string(bytes.TrimRight(line, "\n")) != "---" || segment.Padding != 0 {
		return nil, parser.NoChildren
	}
	if above := pc.LastOpenedBlock().Node; above != nil && ast.IsParagraph(above) && above.Parent() == parent {
		return nil, parser.NoChildren // the rule is the underline of a heading
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

// matter draws front matter muted. Unterminated, it is drawn as a rule and the blocks after it.
func (r *Renderer) matter(n *matter, c context) []string {
	source := linesOf(n, c.src)
	if n.closed {
		return Wrap(visible(source), r.styles.FrontMatter, c.width)
	}
	out := []string{theme.Styled(r.styles.Rule, strings.Repeat("─", min(c.width, 40))), ""}
	c.src = []byte(source)
	return append(out, r.blocks(parse(c.src), c)...)
}
