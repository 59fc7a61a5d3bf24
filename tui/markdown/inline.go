package markdown

import (
	"net/url"
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/util"

	"chatvault/internal/base/terminal"
)

// maxInlineDepth bounds the nesting of styles; deeper text keeps the outer style.
const maxInlineDepth = 32

// inline converts the inline children of n to spans, starting in the style open.
func (r *Renderer) inline(n ast.Node, c context, open string) []span {
	w := inliner{r: r, src: c.src, refs: c.refs}
	w.children(n, open, 0)
	if w.refs != nil {
		return w.cite()
	}
	return w.spans
}

type inliner struct {
	r     *Renderer
	src   []byte
	spans []span
	refs  *references // nil if references are not collected
	ref   uint16      // reference to which added text belongs
}

// maxSpan bounds the length, in bytes, up to which text is added to a span, because each addition copies it.
const maxSpan = 4 << 10

func (w *inliner) add(text, open string) {
	if text == "" {
		return
	}
	if n := len(w.spans); n > 0 && w.spans[n-1].open == open && w.spans[n-1].ref == w.ref && len(w.spans[n-1].text) < maxSpan {
		w.spans[n-1].text += text
		return
	}
	w.spans = append(w.spans, span{text: text, open: open, ref: w.ref})
}

func (w *inliner) children(n ast.Node, open string, depth int) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		w.node(c, open, depth)
	}
}

func (w *inliner) node(n ast.Node, open string, depth int) {
	if depth > maxInlineDepth {
		depth, open = maxInlineDepth, ""
	}
	o := &w.r.open
	switch n := n.(type) {
	case *ast.Text:
		w.text(n, open)
	case *ast.String:
		w.add(visible(string(n.Value)), open)
	case *ast.CodeSpan:
		w.code(n, open)
	case *ast.Emphasis:
		style := w.r.styles.Emphasis
		if n.Level > 1 {
			style = w.r.styles.Strong
		}
		w.children(n, open+style, depth+1)
	case *extast.Strikethrough:
		w.children(n, open+w.r.styles.Strike, depth+1)
	case *verbatim:
		w.verbatim(n, open)
	case *ast.Link:
		w.link(n, open, depth)
	case *ast.AutoLink:
		w.add(visible(string(n.Label(w.src))), open+w.r.styles.Link)
	case *wikilink:
		w.wikilink(n, open)
	case *ast.Image:
		w.add(embedIcon, open+o.muted)
		w.children(n, open, depth+1)
		w.add(" ("+visible(string(n.Destination))+")", open+o.muted)
	case *ast.RawHTML:
		w.html(n, open)
	case *extast.TaskCheckBox:
		// drawn as the list item's marker
	default:
		w.children(n, open, depth+1)
	}
}

func (w *inliner) text(n *ast.Text, open string) {
	value := n.Segment.Value(w.src)
	if !n.IsRaw() {
		value = util.UnescapePunctuations(value)
		value = util.ResolveNumericReferences(value)
		value = util.ResolveEntityNames(value)
	}
	w.add(visible(string(value)), open)
	if n.SoftLineBreak() || n.HardLineBreak() {
		w.add("\n", open) // Obsidian keeps the line breaks of a paragraph
	}
}

func (w *inliner) code(n *ast.CodeSpan, open string) {
	var b strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			b.Write(t.Segment.Value(w.src))
		}
	}
	code := strings.ReplaceAll(b.String(), "\n", " ")
	if !w.r.styles.Colorful {
		code = "`" + code + "`"
	}
	w.add(code, open+w.r.styles.Code)
}

// link draws the text and the real destination, which a text that names another host must not hide.
func (w *inliner) link(n *ast.Link, open string, depth int) {
	dest := visible(string(util.UnescapePunctuations(n.Destination)))
	remote := strings.Contains(dest, "://") || strings.HasPrefix(dest, "mailto:")
	in, style, end := *w, w.r.styles.Link, func() {}
	in.spans = nil
	if !remote {
		style, end = in.begin(linkTo(dest), w.r.styles.Wikilink)
	}
	in.children(n, open+style, depth+1)
	end()
	label := ""
	for _, s := range in.spans {
		label += s.text
	}
	w.spans = append(w.spans, in.spans...)
	if note := destinationNote(label, dest, remote); note != "" {
		w.add(" ("+note+")", open+w.r.open.muted)
	}
}

// destinationNote returns the destination if the label does not already contain it.
func destinationNote(label, dest string, remote bool) string {
	label = strings.TrimSpace(label)
	switch {
	case label == dest, "mailto:"+label == dest, dest == "", strings.HasPrefix(dest, "#"):
		return ""
	case remote:
		return destinationOf(dest)
	}
	path, err := url.PathUnescape(dest)
	if err != nil {
		path = dest
	}
	if path = visible(path); names(path, label) {
		return ""
	}
	return path
}

// destinationOf returns a target as written, followed by its host if that could be mistaken: lookalike letters, or a
// name before an @.
func destinationOf(dest string) string {
	for _, r := range dest {
		if r > '~' || r == '@' && !strings.HasPrefix(dest, "mailto:") {
			return dest + " → " + terminal.Destination(dest)
		}
	}
	return dest
}

func (w *inliner) html(n *ast.RawHTML, open string) {
	var b strings.Builder
	for i := range n.Segments.Len() {
		s := n.Segments.At(i)
		b.Write(s.Value(w.src))
	}
	if tag := strings.ToLower(b.String()); tag == "<br>" || tag == "<br/>" || tag == "<br />" {
		w.add("\n", open)
		return
	}
	w.add(b.String(), open+w.r.open.muted)
}

// visible sanitizes text decoded by the parser, since a character reference such as &#27; could bring back a control
// character.
func visible(s string) string { return terminal.Text(s) }

// embedIcon stands for a picture or an embedded note, which are not drawn.
const embedIcon = "▣ "
