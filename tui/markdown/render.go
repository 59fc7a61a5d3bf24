// Package markdown draws Obsidian Markdown for a terminal.
//
// Every returned line fits the width and carries its own styles from start to end, so that lines may be shown in any
// order. No text is dropped, nothing is fetched, and a Stream ends up with the same lines as Render, however its text
// arrived.
//
// Parsing uses goldmark; the layout is this package's own: list items hang, tables shrink to the width, wide
// characters and long words wrap, and nesting is bounded.
//
// Input must be sanitized (see chatvault/internal/base/terminal). The parser decodes character references, so the output
// must be filtered too.
package markdown

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/alecthomas/chroma/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"

	"chatvault/internal/base/cells"
	"chatvault/internal/base/lazyregexp"
	"chatvault/internal/base/text"
	"chatvault/tui/theme"
	"chatvault/vault/block"
)

// maxDepth bounds the indentation of nested quotes and lists; deeper ones are drawn at that depth.
const maxDepth = 10

// minWidth is the minimum layout width; the frame cuts lines that do not fit.
const minWidth = 4

// Renderer draws Markdown at one width in one theme. It is safe for concurrent use.
type Renderer struct {
	styles *theme.Styles
	width  int
	open   opens
}

// opens holds opening sequences of styles that are shared with other packages.
type opens struct {
	muted, ok, warn, err, accent string
	tokens                       map[chroma.TokenType]string // for code
}

// NewRenderer returns a renderer for lines of at most width cells.
func NewRenderer(s *theme.Styles, width int) *Renderer {
	return &Renderer{styles: s, width: max(width, minWidth), open: opens{
		muted: theme.Open(s.Muted), accent: theme.Open(s.Accent),
		ok: theme.Open(s.OK), warn: theme.Open(s.Warn), err: theme.Open(s.Error),
		tokens: tokenStyles(s),
	}}
}

// Find draws a whole text and returns the row of the line that begins at an offset, exactly or approximately.
func (r *Renderer) Find(text string, at int) (lines []string, row int) {
	if start, end, body := block.FrontMatter([]byte(text)); body > end { // drawn as code: it is no paragraph
		front := "```yaml\n" + text[start:end] + "```\n"
		if at -= body - len(front); at < len(front) {
			at = len("```yaml\n")
		}
		text = front + text[body:]
	}
	rest := text[at:]
	at += len(rest) - len(strings.TrimLeft(rest, " \t"))
	lines, row = r.Render(text), len(r.Render(text[:at]+"x"))-1 // a word there ends the drawing
	return lines, max(min(row, len(lines)-1), 0)
}

// Width returns the renderer's width in cells.
func (r *Renderer) Width() int { return r.width }

// Render draws a whole text.
func (r *Renderer) Render(text string) []string {
	s := NewStream(r)
	s.Append(text)
	s.Finish()
	return s.Lines()
}

// context holds the surroundings of a block.
type context struct {
	src   []byte
	width int
	depth int
	// growing reports whether text is still arriving at the end of the block, so that expensive work waits.
	growing bool
	plain   string      // style of paragraphs; muted in a completed task
	refs    *references // nil if references are not collected
}

// inside returns the context of content indented by cells, and the actual indentation: 0 if there is no space or the
// nesting is too deep.
func (c context) inside(cells int) (context, int) {
	if c.depth >= maxDepth || c.width-cells < minWidth {
		cells = 0
	}
	c.width -= cells
	c.depth++
	return c, cells
}

// block draws one block.
func (r *Renderer) block(n ast.Node, c context) []string {
	switch n := n.(type) {
	case *ast.Heading:
		return wrap(r.inline(n, c, r.styles.Headings[min(n.Level, len(r.styles.Headings))-1]), c.width)
	case *ast.Paragraph, *ast.TextBlock:
		spans := r.inline(n, c, c.plain)
		if _, task := n.FirstChild().(*extast.TaskCheckBox); task {
			return wrapTask(spans, c.width)
		}
		return wrap(spans, c.width)
	case *ast.ThematicBreak:
		return []string{theme.Styled(r.styles.Rule, strings.Repeat("─", min(c.width, 40)))}
	case *ast.FencedCodeBlock:
		return r.code(linesOf(n, c.src), string(n.Language(c.src)), c)
	case *ast.CodeBlock:
		return r.code(linesOf(n, c.src), "", c)
	case *ast.Blockquote:
		return r.quote(n, c)
	case *ast.List:
		return r.list(n, c)
	case *extast.Table:
		return r.table(n, c)
	case *ast.HTMLBlock:
		text := linesOf(n, c.src)
		if n.HasClosure() {
			text += string(n.ClosureLine.Value(c.src))
		}
		return Wrap(text, r.open.muted, c.width)
	}
	return nil
}

// blocks draws a block and those after it, separated by empty lines.
func (r *Renderer) blocks(first ast.Node, c context) []string {
	var out []string
	for n := first; n != nil; n = n.NextSibling() {
		cc := c
		cc.growing = c.growing && n.NextSibling() == nil
		lines := r.block(n, cc)
		if len(lines) == 0 {
			continue
		}
		if len(out) > 0 && !tight(n) && !credits(out, n, c.src) {
			out = append(out, "")
		}
		out = append(out, lines...)
	}
	return out
}

// credits reports whether a block names the source of the quote above it, as in "— Nectarine tart", and follows it
// without an empty line.
func credits(above []string, n ast.Node, src []byte) bool {
	p, ok := n.(*ast.Paragraph)
	return ok && strings.HasPrefix(ansi.Strip(above[len(above)-1]), "▎") && bytes.HasPrefix(p.Lines().Value(src), []byte("— "))
}

// tight reports whether a block follows its predecessor without an empty line: a list under the text of its item.
func tight(n ast.Node) bool {
	_, list := n.(*ast.List)
	_, item := n.Parent().(*ast.ListItem)
	return list && item
}

func linesOf(n ast.Node, src []byte) string {
	var b strings.Builder
	for i := range n.Lines().Len() {
		s := n.Lines().At(i)
		b.Write(s.Value(src))
	}
	return b.String()
}

// Prefix prepends first to the first line and rest to the others, in place.
func Prefix(lines []string, first, rest string) []string {
	for i, l := range lines {
		switch {
		case i == 0:
			lines[i] = first + l
		case l != "" || strings.TrimSpace(rest) != "":
			lines[i] = rest + l
		}
	}
	return lines
}

func (r *Renderer) list(n *ast.List, c context) []string {
	items := n.ChildCount()
	numberWidth := len(strconv.Itoa(n.Start + items - 1))
	var out []string
	number := n.Start
	for item := n.FirstChild(); item != nil; item = item.NextSibling() {
		marker, width, plain := "• ", 2, ""
		var task *extast.TaskCheckBox
		if first := item.FirstChild(); first != nil {
			task, _ = first.FirstChild().(*extast.TaskCheckBox)
		}
		switch {
		case task != nil && task.IsChecked:
			marker, plain = theme.Styled(r.open.ok, "☑")+" ", r.open.muted
		case task != nil:
			marker = theme.Styled(r.styles.Bullet, "☐") + " "
		case n.IsOrdered():
			text := strconv.Itoa(number) + string(n.Marker)
			width = numberWidth + 2
			marker = theme.Styled(r.styles.Bullet, strings.Repeat(" ", max(0, width-1-len(text)))+text) + " "
		default:
			if _, nested := n.Parent().(*ast.ListItem); nested {
				marker = "◦ "
			}
			marker = theme.Styled(r.styles.Bullet, strings.TrimSpace(marker)) + " "
		}
		number++
		ic, indent := c.inside(width)
		ic.growing, ic.plain = c.growing && item.NextSibling() == nil, plain
		lines := r.blocks(item.FirstChild(), ic)
		if len(lines) == 0 {
			lines = []string{""}
		}
		if indent == 0 {
			out = append(append(out, strings.TrimRight(marker, " ")), lines...)
			continue
		}
		out = append(out, Prefix(lines, marker, strings.Repeat(" ", indent))...)
	}
	return out
}

// wrapTask is wrap for a task. The note at its end, after a dash, is drawn at the right of the last line, shortened if
// necessary.
func wrapTask(spans []span, width int) []string {
	const between, least = 2, 16 // cells
	last := len(spans) - 1
	if last < 1 || spans[last].ref == 0 || !strings.HasSuffix(spans[last-1].text, " — ") {
		return wrap(spans, width)
	}
	task, note := slices.Clone(spans[:last]), spans[last]
	task[last-1].text = strings.TrimSuffix(task[last-1].text, " — ")
	lines := wrap(task, width)
	end := lines[len(lines)-1]
	room := width - cells.Width(end) - between
	if note.text = cells.Truncate(note.text, room, "…"); room < min(least, cells.Width(spans[last].text)) {
		return wrap(spans, width)
	}
	drawn := wrap([]span{note}, room)[0]
	lines[len(lines)-1] = end + strings.Repeat(" ", between+max(room-cells.Width(drawn), 0)) + drawn
	return lines
}

var calloutHead = lazyregexp.New(`^\[!([\p{L}\p{N}_-]{1,40})\][+-]?(\s|$)`)

// quote draws a quote, or Obsidian's callout, whose first line is "[!kind] title".
func (r *Renderer) quote(n *ast.Blockquote, c context) []string {
	bar := "▎ "
	c, cells := c.inside(2)
	if cells == 0 {
		bar = ""
	}
	first, open := n.FirstChild(), r.styles.Quote
	var lines []string
	if para, ok := first.(*ast.Paragraph); ok {
		line := para.Lines().At(0)
		if m := calloutHead().FindSubmatch(line.Value(c.src)); m != nil {
			var icon string
			open, icon = r.calloutStyle(strings.ToLower(string(m[1])))
			lines, first = r.callout(para, icon, open+r.styles.Strong, c), para.NextSibling()
			if first != nil {
				lines = append(lines, "")
			}
		}
	}
	p := theme.Styled(open, bar)
	return Prefix(append(lines, r.blocks(first, c)...), p, p)
}

// callout draws the first paragraph of a callout: the icon with the title or the kind, and the other lines.
func (r *Renderer) callout(para *ast.Paragraph, icon, open string, c context) []string {
	spans := r.inline(para, c, "")
	kind, title, _ := strings.Cut(spans[0].text, "]")
	title = strings.TrimLeft(title, "+- ")
	if title == "" || title[0] == '\n' {
		title = text.Capital(strings.ToLower(kind[2:])) + title
	}
	spans[0].text = icon + " " + title
	for i := range spans {
		head, rest, more := strings.Cut(spans[i].text, "\n")
		spans[i].open = open + spans[i].open
		if !more {
			continue
		}
		body := append([]span{{text: rest, open: strings.TrimPrefix(spans[i].open, open), ref: spans[i].ref}}, spans[i+1:]...)
		spans[i].text = head
		return append(wrap(spans[:i+1], c.width), wrap(body, c.width)...)
	}
	return wrap(spans, c.width)
}

func (r *Renderer) calloutStyle(kind string) (open, icon string) {
	switch kind {
	case "warning", "caution", "attention", "question", "help", "faq":
		return r.open.warn, "▲"
	case "danger", "error", "bug", "failure", "fail", "missing":
		return r.open.err, "✗"
	case "tip", "hint", "important", "success", "check", "done":
		return r.open.ok, "✓"
	}
	return r.open.accent, "●"
}
