package markdown

import (
	"net/url"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/util"

	"chatvault/internal/lazyregexp"
	"chatvault/internal/terminal"
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
	hid   bool        // a comment was just omitted
}

// maxSpan bounds the length, in bytes, up to which text is added to a span, because each addition copies it.
const maxSpan = 4 << 10

func (w *inliner) add(text, open string) {
	if w.hid {
		text = strings.TrimLeft(text, w.doubled())
	}
	if text == "" {
		return
	}
	w.hid = false
	if n := len(w.spans); n > 0 && w.spans[n-1].open == open && w.spans[n-1].ref == w.ref && len(w.spans[n-1].text) < maxSpan {
		w.spans[n-1].text += text
		return
	}
	w.spans = append(w.spans, span{text: text, open: open, ref: w.ref})
}

// doubled returns the whitespace that would be redundant after an omitted comment.
func (w *inliner) doubled() string {
	last := "\n"
	if n := len(w.spans); n > 0 {
		last = w.spans[n-1].text
	}
	switch {
	case strings.HasSuffix(last, "\n"):
		return " \n"
	case strings.HasSuffix(last, " "):
		return " "
	}
	return ""
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
	case *mark:
		w.children(n, open+w.r.styles.Mark, depth+1)
	case *verbatim:
		w.verbatim(n, open)
	case *ast.Link:
		w.link(n, open, depth)
	case *ast.AutoLink:
		w.add(visible(string(n.Label(w.src))), open+w.r.styles.Link)
	case *wikilink:
		w.wikilink(n, open)
	case *ast.Image:
		w.add(imageIcon, open+o.muted)
		w.image(n, open, depth)
		w.add(" ("+visible(string(n.Destination))+")", open+o.muted)
	case *ast.RawHTML:
		w.html(n, open)
	case *extast.TaskCheckBox, *taskMark:
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
	o := &w.r.open
	dest := visible(string(util.UnescapePunctuations(n.Destination)))
	from := len(w.spans)
	joined := from > 0
	var before int
	if joined {
		before = len(w.spans[from-1].text)
	}
	remote := strings.Contains(dest, "://") || strings.HasPrefix(dest, "mailto:")
	style := w.r.styles.Wikilink
	if remote {
		style = w.r.styles.Link
	}
	end := func() {}
	if !remote {
		style, end = w.begin(linkTo(dest), style)
	}
	w.children(n, open+style, depth+1)
	end()
	var label strings.Builder
	if joined {
		label.WriteString(w.spans[from-1].text[before:])
	}
	for _, s := range w.spans[from:] {
		label.WriteString(s.text)
	}
	if note := destinationNote(label.String(), dest, remote); note != "" {
		w.add(" ("+note+")", open+o.muted)
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
	path = visible(path)
	name := strings.TrimSuffix(path[strings.LastIndexByte(path, '/')+1:], ".md")
	if strings.EqualFold(name, label) || strings.EqualFold(path, label) {
		return ""
	}
	return path
}

// destinationOf returns a target as written, followed by its host if that could be mistaken: lookalike letters, or a
// name before an @.
func destinationOf(dest string) string {
	for _, r := range dest {
		if r > '~' || r == '@' && !strings.HasPrefix(dest, "mailto:") {
			return dest + " → " + terminal.LinkLabel("", dest)
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
	switch tag := strings.ToLower(b.String()); tag {
	case "<br>", "<br/>", "<br />":
		w.add("\n", open)
	default:
		w.add(b.String(), open+w.r.open.muted)
	}
}

// visible sanitizes text decoded by the parser, since a character reference such as &#27; could bring back a control
// character.
func visible(s string) string { return terminal.Text(s) }

// imageIcon stands for a picture, which is not drawn.
const imageIcon = "▣ "

// imageSize matches Obsidian's size suffix of a picture's label: |200, |200x100.
var imageSize = lazyregexp.New(`^(?:(.*)\|)?[ \t]*[0-9]{1,5}(?:x[0-9]{1,5})?[ \t]*$`)

// withoutSize returns a picture's label without its size.
func withoutSize(label string) string {
	if m := imageSize().FindStringSubmatch(label); m != nil {
		return strings.TrimSpace(m[1])
	}
	return label
}

// isImage reports whether a target has a picture's extension.
func isImage(target string) bool {
	return slices.Contains([]string{".png", ".jpg", ".jpeg", ".gif", ".webp", ".svg", ".bmp", ".avif"}, strings.ToLower(path.Ext(target)))
}

// image draws a picture's label: ![a tree|200](tree.png).
func (w *inliner) image(n *ast.Image, open string, depth int) {
	t, only := n.FirstChild().(*ast.Text)
	if !only || t.NextSibling() != nil {
		w.children(n, open, depth+1)
		return
	}
	label := string(t.Segment.Value(w.src))
	if short := withoutSize(label); strings.Contains(label, "|") {
		label = short
	}
	w.add(visible(label), open)
}

// maxTail bounds the letters that directly follow a link.
const maxTail = 12

// tailOf returns the letters that directly follow a link, in scripts that separate words by blanks.
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
