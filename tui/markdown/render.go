package markdown

import (
	"slices"
	"strconv"
	"strings"

	"github.com/alecthomas/chroma/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"

	"chatvault/internal/lazyregexp"
	"chatvault/tui/theme"
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
	hides  bool // omit comments
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

// Reading returns a renderer that omits %% comments, like Obsidian's reading view. It is for notes. Model output must
// be drawn with comments, since nothing in it may be hidden.
func (r *Renderer) Reading() *Renderer {
	out := *r
	out.hides = true
	return &out
}

// Find draws a whole text and returns the row of the line that begins at an offset, exactly or approximately. If the
// requested line is in a hidden comment, all comments are shown.
func (r *Renderer) Find(text string, at int) (lines []string, row int) {
	line, _, _ := strings.Cut(text[at:], "\n")
	lines, before, upTo := r.Render(text), r.Render(text[:at]), r.Render(text[:at+len(line)])
	if r.hides && len(upTo) <= len(before) && strings.TrimSpace(line) != "" && strings.Contains(text, "%%") {
		shows := *r
		shows.hides = false
		return shows.Find(text, at)
	}
	if matter, _ := frontMatter(text); at < matter {
		return lines, len(Wrap(text[:at]+"-", "", r.width)) - 1
	}
	blank := func(line string) bool { return strings.Trim(ansi.Strip(line), " ▎") == "" }
	for row = len(before); row > 0 && blank(before[row-1]); row-- {
	}
	if !slices.Equal(before, upTo) {
		row = max(min(row, len(upTo)-1), 0)
	}
	for row < len(upTo) && blank(upTo[row]) {
		row++
	}
	if row < len(upTo) {
		same, nth := upTo[row], 0
		for _, l := range upTo[:row+1] {
			if l == same {
				nth++
			}
		}
		for i, l := range lines {
			if l == same {
				if nth--; nth == 0 {
					return lines, i
				}
			}
		}
	}
	for row < len(lines)-1 && blank(lines[row]) {
		row++
	}
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
		style := r.styles.Subheading
		if n.Level <= 2 {
			style = r.styles.Heading
		}
		return wrap(r.inline(n, c, style), c.width)
	case *ast.Paragraph, *ast.TextBlock:
		spans := r.inline(n, c, c.plain)
		if len(spans) == 0 && r.hides {
			return nil
		}
		return wrap(spans, c.width)
	case *ast.ThematicBreak:
		return []string{theme.Styled(r.styles.Rule, strings.Repeat("─", min(c.width, 40)))}
	case *ast.FencedCodeBlock:
		return r.code(linesOf(n, c.src), string(n.Language(c.src)), c)
	case *ast.CodeBlock:
		return r.code(linesOf(n, c.src), "", c)
	case *matter:
		return r.matter(n, c)
	case *aside:
		return r.aside(n, c)
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
	if n.Type() == ast.TypeInline || n.FirstChild() == nil {
		return nil
	}
	return r.blocks(n, c)
}

// blocks draws the children of n, separated by empty lines.
func (r *Renderer) blocks(n ast.Node, c context) []string {
	var out []string
	for child := n.FirstChild(); child != nil; child = child.NextSibling() {
		cc := c
		cc.growing = c.growing && child.NextSibling() == nil
		lines := r.block(child, cc)
		if len(lines) == 0 {
			continue
		}
		if len(out) > 0 && !tight(child) {
			out = append(out, "")
		}
		out = append(out, lines...)
	}
	return out
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
	airy := !n.IsTight && anyItemHasSeveralBlocks(n)
	var out []string
	number := n.Start
	for item := n.FirstChild(); item != nil; item = item.NextSibling() {
		marker, width, plain := "• ", 2, ""
		switch box, over, task := taskOf(item); {
		case task && over:
			marker, plain = theme.Styled(r.open.ok, box)+" ", r.open.muted
		case task:
			marker = theme.Styled(r.styles.Bullet, box) + " "
		case n.IsOrdered():
			text := strconv.Itoa(number) + string(n.Marker)
			width = numberWidth + 2
			marker = theme.Styled(r.styles.Bullet, strings.Repeat(" ", max(0, width-1-len(text)))+text) + " "
		default:
			if nested(n) {
				marker = "◦ "
			}
			marker = theme.Styled(r.styles.Bullet, strings.TrimSpace(marker)) + " "
		}
		number++
		ic, indent := c.inside(width)
		ic.growing, ic.plain = c.growing && item.NextSibling() == nil, plain
		lines := r.blocks(item, ic)
		if len(lines) == 0 {
			lines = []string{""}
		}
		if airy && len(out) > 0 {
			out = append(out, "")
		}
		if indent == 0 {
			out = append(append(out, strings.TrimRight(marker, " ")), lines...)
			continue
		}
		out = append(out, Prefix(lines, marker, strings.Repeat(" ", indent))...)
	}
	return out
}

// nested reports whether a list is nested at an odd depth.
func nested(n ast.Node) bool {
	odd := false
	for p := n.Parent(); p != nil; p = p.Parent() {
		if p.Kind() == ast.KindList {
			odd = !odd
		}
	}
	return odd
}

// taskOf returns a task's box and reports whether the task is closed and whether the list item is a task at all.
func taskOf(item ast.Node) (box string, over, task bool) {
	first := item.FirstChild()
	if first == nil {
		return "", false, false
	}
	switch n := first.FirstChild().(type) {
	case *extast.TaskCheckBox:
		if n.IsChecked {
			return "☑", true, true
		}
		return "☐", false, true
	case *taskMark:
		box, over = n.box()
		return box, over, true
	}
	return "", false, false
}

func anyItemHasSeveralBlocks(n *ast.List) bool {
	for item := n.FirstChild(); item != nil; item = item.NextSibling() {
		for child := item.FirstChild(); child != nil; child = child.NextSibling() {
			if child != item.FirstChild() && child.Kind() != ast.KindList {
				return true
			}
		}
	}
	return false
}

var calloutHead = lazyregexp.New(`^\[!([\p{L}\p{N}_-]{1,40})\][+-]?[ \t]*(.*)$`)

func (r *Renderer) quote(n *ast.Blockquote, c context) []string {
	bar := "▎ "
	ic, cells := c.inside(2)
	if cells == 0 {
		bar = ""
	}
	kind, title, body, ok := r.callout(n, ic)
	if !ok {
		p := theme.Styled(r.styles.Quote, bar)
		return Prefix(r.blocks(n, ic), p, p)
	}
	open, icon := r.calloutStyle(kind)
	if title == "" {
		title = strings.ToUpper(kind[:1]) + kind[1:]
	}
	lines := append(Wrap(icon+" "+title, open+r.styles.Strong, ic.width), body...)
	p := theme.Styled(open, bar)
	return Prefix(lines, p, p)
}

// callout parses Obsidian's "> [!kind] title" and draws the body.
func (r *Renderer) callout(n *ast.Blockquote, c context) (kind, title string, body []string, ok bool) {
	para, isPara := n.FirstChild().(*ast.Paragraph)
	if !isPara {
		return "", "", nil, false
	}
	cited := c.refs.mark()
	spans := r.inline(para, c, "")
	var head strings.Builder
	for i, s := range spans {
		line, rest, more := strings.Cut(s.text, "\n")
		head.WriteString(line)
		if more {
			s.text = rest
			spans = append([]span{s}, spans[i+1:]...)
			break
		}
		if i == len(spans)-1 {
			spans = nil
		}
	}
	m := calloutHead().FindStringSubmatch(head.String())
	if m == nil {
		c.refs.back(cited) // the quote is drawn by other code
		return "", "", nil, false
	}
	if len(spans) > 0 && strings.TrimSpace(spans[0].text) != "" || len(spans) > 1 {
		body = wrap(spans, c.width)
	}
	for child := para.NextSibling(); child != nil; child = child.NextSibling() {
		cc := c
		cc.growing = c.growing && child.NextSibling() == nil
		if len(body) > 0 {
			body = append(body, "")
		}
		body = append(body, r.block(child, cc)...)
	}
	return strings.ToLower(m[1]), m[2], body, true
}

func (r *Renderer) calloutStyle(kind string) (open, icon string) {
	switch kind {
	case "warning", "caution", "attention", "question", "help", "faq":
		return r.open.warn, "▲"
	case "danger", "error", "bug", "failure", "fail", "missing":
		return r.open.err, "✗"
	case "tip", "hint", "important", "success", "check", "done":
		return r.open.ok, "✓"
	case "quote", "cite":
		return r.styles.Quote, "❝"
	}
	return r.open.accent, "●"
}
