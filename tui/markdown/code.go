package markdown

import (
	"strings"

	"github.com/yuin/goldmark/ast"

	"chatvault/tui/markdown/highlight"
)

const (
	// maxHighlight bounds the code that is coloured, in bytes.
	maxHighlight = 64 << 10
	// maxGrowing is the same while code is still arriving and is drawn again and again.
	maxGrowing = 2 << 10
	codeIndent = 2
)

// code draws a code block: indented, coloured where the language is known,
// long lines wrapped so that nothing is cut.
func (r *Renderer) code(code, language string, c context) []string {
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
	pad := strings.Repeat(" ", indent)
	return Prefix(wrapHanging(spans, c.width, true), pad, pad)
}

func (r *Renderer) highlight(code, language string) []span {
	parts, ok := highlight.Code(language, code)
	if !ok {
		return []span{{text: code}}
	}
	spans := make([]span, len(parts))
	for i, p := range parts {
		spans[i] = span{text: p.Text, open: r.open.classes[p.Class]}
	}
	return spans
}

// Code is a block of code in a text: what it is in, as the text says ("go"; may be empty), and the
// code itself, without what it is fenced or set in by.
type Code struct{ Language, Text string }

// maxCodeSource bounds the text that is looked through for code, in bytes.
const maxCodeSource = 1 << 20

// CodeBlocks are the blocks of code in a text, in order, also those in lists and quotations.
func CodeBlocks(source string) []Code {
	source = source[:min(len(source), maxCodeSource)]
	if !strings.Contains(source, "```") && !strings.Contains(source, "~~~") && !strings.Contains(source, "    ") && !strings.Contains(source, "\t") {
		return nil
	}
	src := []byte(strings.ReplaceAll(source, "\r\n", "\n"))
	root := parse(src)
	var out []Code
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		c := Code{}
		switch n := n.(type) {
		case *ast.FencedCodeBlock:
			c.Language = string(n.Language(src))
		case *ast.CodeBlock:
		default:
			return ast.WalkContinue, nil
		}
		if c.Text = linesOf(n, src); strings.TrimSpace(c.Text) != "" {
			out = append(out, c)
		}
		return ast.WalkSkipChildren, nil
	})
	return out
}
