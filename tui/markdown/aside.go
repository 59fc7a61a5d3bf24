package markdown

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// aside is a block that Obsidian adds to Markdown: a formula between $$, or a comment between %%. Its lines are raw
// text. Without a closing fence it extends to the end.
type aside struct {
	rawBlock
	comment bool
}

// fence returns the delimiter.
func (n *aside) fence() string {
	if n.comment {
		return "%%"
	}
	return "$$"
}

type asideParser struct{ rawParser }

func (asideParser) Trigger() []byte { return []byte{'$', '%'} }

// Open starts an aside at a line with a single fence at its beginning.
func (asideParser) Open(_ ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	line, segment := reader.PeekLine()
	pos := pc.BlockOffset()
	if pos < 0 || segment.Padding != 0 {
		return nil, parser.NoChildren
	}
	n := &aside{comment: line[pos] == '%'}
	rest, ok := bytes.CutPrefix(line[pos:], []byte(n.fence()))
	if !ok || bytes.Contains(rest, []byte(n.fence())) || bytes.HasPrefix(rest, []byte(n.fence()[:1])) {
		return nil, parser.NoChildren
	}
	if !util.IsBlank(rest) {
		n.Lines().Append(segment.WithStart(segment.Stop - len(rest)))
	}
	return n, parser.NoChildren
}

// Continue adds lines up to the closing fence.
func (asideParser) Continue(node ast.Node, reader text.Reader, _ parser.Context) parser.State {
	n, ok := node.(*aside)
	if !ok || n.closed {
		return parser.Close
	}
	line, segment := reader.PeekLine()
	end := bytes.Index(line, []byte(n.fence()))
	if end < 0 {
		segment.ForceNewline = true
		n.Lines().Append(segment)
		reader.AdvanceToEOL()
		return parser.Continue | parser.NoChildren
	}
	if !util.IsBlank(line) && len(bytes.TrimSpace(line)) > len(n.fence()) { // text before the fence
		n.Lines().Append(segment)
	}
	n.closed = true
	reader.AdvanceToEOL()
	return parser.Close
}

// aside draws a formula like code and a comment muted with its delimiters, unless comments are hidden.
func (r *Renderer) aside(n *aside, c context) []string {
	text := strings.TrimRight(linesOf(n, c.src), "\n")
	if !n.comment {
		c, indent := c.inside(codeIndent)
		pad := strings.Repeat(" ", indent)
		return Prefix(Wrap(visible(text), r.styles.Code, c.width), pad, pad)
	}
	if r.hides {
		return nil
	}
	if n.closed && !strings.HasSuffix(text, n.fence()) {
		text += " " + n.fence()
	}
	return Wrap(n.fence()+" "+visible(text), r.open.muted, c.width)
}
