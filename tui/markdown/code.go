package markdown

import (
	"strings"

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
func (r *Renderer) code(code, language string, stops []int, c context) []string {
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
	spans = c.seek.mark(spans, stops)
	pad := strings.Repeat(" ", indent)
	return prefix(wrapHanging(spans, c.width, true), pad, pad)
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
