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

// maxInlineDepth bounds the nesting of styles; deeper text is shown, unstyled further.
const maxInlineDepth = 32

// inline turns the inline children of n into spans, in the style open begins.
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
	refs  *references // nil: they are not looked for
	ref   uint16      // what is added belongs to it
	hid   bool        // a comment was left out right before
}

// maxSpan is how long a span gets by adding to it, in bytes: each time it is copied.
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

// doubled is the white space that stands on both sides of what was left out last, where more of it
// would be a gap.
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

// link shows the text and where it really leads: a text that names another host
// must not hide it.
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

// destinationNote is what a link's text does not say about where it leads.
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

// destinationOf is a target as written, with the host it leads to where that is
// not plain to see: letters that pass for others, a name before an @.
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

// visible makes safe what the parser decoded: a character reference such as
// &#27; must not bring back what was made safe before.
func visible(s string) string { return terminal.Text(s) }

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
	return slices.Contains([]string{".png", ".jpg", ".jpeg", ".gif", ".webp", ".svg", ".bmp", ".avif"}, strings.ToLower(path.Ext(target)))
}

// image draws what a picture is called: ![a tree|200](tree.png).
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
