package markdown

import (
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"

	"chatvault/internal/lazyregexp"
)

// imageIcon stands for a picture, which is not drawn.
const imageIcon = "▣ "

// imageSize is what Obsidian writes behind the bar of a picture that has a size of its own: 200, 200x100.
var imageSize = lazyregexp.New(`^(?:(.*)\|)?[ \t]*[0-9]{1,5}(?:x[0-9]{1,5})?[ \t]*$`)

// withoutSize is a picture's label without its size.
func withoutSize(label string) string {
	if m := imageSize().FindStringSubmatch(label); m != nil {
		return strings.TrimSpace(m[1])
	}
	return label
}

// isImage says whether what is embedded is a picture, by its name.
func isImage(target string) bool {
	switch strings.ToLower(path.Ext(target)) {
	case ".png", ".jpg", ".jpeg", ".gif", ".webp", ".svg", ".bmp", ".avif":
		return true
	}
	return false
}

// image draws what a picture is called: ![a tree|200](tree.png).
func (w *inliner) image(n *ast.Image, open string, depth int) {
	t, only := n.FirstChild().(*ast.Text)
	if !only || t.NextSibling() != nil {
		w.children(n, open, depth+1)
		return
	}
	w.here = w.here || w.seek.passes(t.Segment.Stop)
	label := string(t.Segment.Value(w.src))
	if short := withoutSize(label); strings.Contains(label, "|") {
		label = short
	}
	w.add(visible(label), open)
}

// maxTail is how many letters behind a link are of its word.
const maxTail = 12

// tailOf are the letters that follow a link at once, of scripts that put blanks between words.
func tailOf(rest []byte) string {
	n := 0
	for n < len(rest) {
		r, size := utf8.DecodeRune(rest[n:])
		if !unicode.In(r, unicode.Latin, unicode.Greek, unicode.Cyrillic) {
			break
		}
		n += size
	}
	if n > maxTail {
		return ""
	}
	return string(rest[:n])
}
