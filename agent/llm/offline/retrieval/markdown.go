package retrieval

import (
	"bytes"
	"strings"

	"chatvault/internal/base/lazyregexp"
	"chatvault/vault/block"
)

// LineKind is what a line of a note is.
type LineKind uint8

// The kinds of lines.
const (
	LineBlank    LineKind = iota
	LineText              // part of a paragraph
	LineHeading           // "## Text"
	LineItem              // list item, Depth is its indentation in columns
	LineQuote             // "> text", callouts too
	LineTable             // "| a | b |"
	LineCode              // inside a fenced block, or the fence
	LineProperty          // inside front matter, or its fences
	LineQuery             // a block whose content Obsidian computes; Text names it
)

// Line is a line of a note, classified.
type Line struct {
	Kind   LineKind
	Number int    // 1-based
	Raw    []byte // without the line end
	Text   []byte // without heading marks, bullets, task boxes, quote marks
	Level  int    // heading level 1-6; list indentation
	Task   bool   // list item: it is a task

	Properties []Property // whose values begin here
}

// eachLine calls yield for each classified line of a note.
func eachLine(text []byte, yield func(Line)) {
	s := block.New(text)
	var front []Property
	query := "" // the block of a query that the line is in
	faulty := false
	start, end := s.Front()
	if start < end {
		front, faulty = properties(text)
	}
	for s.Scan() {
		l := Line{Number: s.Number, Raw: text[s.Start:s.End]}
		body := bytes.TrimLeft(l.Raw, " \t")
		quoted := s.Quotes > 0 && bytes.HasPrefix(body, []byte(">"))
		switch {
		case query == "" && queryName(body) != "" && (s.Kind == block.Fence || s.Kind == block.Text):
			l.Kind, l.Text = LineQuery, []byte("("+queryName(body)+", filled in by Obsidian)")
			l.Raw = l.Text
			if s.Kind == block.Fence {
				query = queryName(body)
			}
		case query != "" && s.Kind == block.Fence:
			query = ""
		case query != "" && s.Kind == block.Code:
		case s.Kind == block.Property:
			if l.Kind = LineProperty; faulty && s.Start >= start && s.Start < end {
				l.Kind, l.Text = LineText, l.Raw
			}
			for len(front) > 0 && front[0].Line == l.Number {
				l.Properties, front = append(l.Properties, front[0]), front[1:]
			}
		case s.Kind == block.Fence && !quoted && !s.BeginsItem:
			l.Kind = LineCode
		case s.Kind == block.Code && !quoted:
			l.Kind, l.Text = LineCode, l.Raw
		default:
			classify(&l, body)
		}
		yield(l)
	}
}

// computed matches a fence or an embed whose content Obsidian or a plugin computes.
var computed = lazyregexp.New("(?i)^[> \t]*(?:[`~]{3,} ?(dataview|tasks|base)(?:js)?|!\\[\\[[^]]+\\.(base)(?:[#|][^]]*)?\\]\\])\\s*$")

// queryName returns what a line of that kind stands for, or "".
func queryName(line []byte) string {
	if len(line) < 4 || !bytes.ContainsAny(line[:1], ">`~!") {
		return ""
	}
	m := computed().FindSubmatch(line)
	if m == nil {
		return ""
	}
	return map[string]string{"dataview": "Dataview query", "tasks": "Tasks query", "base": "Base"}[strings.ToLower(string(m[1])+string(m[2]))]
}

// classify works out what a line is that begins with a body after blanks.
func classify(l *Line, body []byte) {
	level, mark := block.HeadingLevel(body), block.ItemMark(body)
	l.Kind, l.Text = LineText, body
	switch {
	case len(body) == 0 || block.IsRule(body) || isDefinition(body):
		l.Kind, l.Text = LineBlank, nil
	case level > 0 && level < len(body):
		l.Kind, l.Level = LineHeading, level
		l.Text = bytes.Trim(body[level:], " \t#")
	case body[0] == '>':
		l.Kind, l.Text = LineQuote, bytes.TrimLeft(body, "> ")
	case body[0] == '|':
		l.Kind = LineTable
	case mark > 0 && mark < len(body):
		l.Kind, l.Text = LineItem, bytes.TrimLeft(body[mark:], " \t")
		indent := l.Raw[:len(l.Raw)-len(body)]
		l.Level = len(indent) + 3*bytes.Count(indent, []byte("\t"))
		if t := l.Text; len(t) >= 3 && t[0] == '[' && t[2] == ']' && (len(t) == 3 || t[3] == ' ') {
			l.Task, l.Text = true, bytes.TrimLeft(t[3:], " ")
		}
	}
}

// isDefinition reports whether the line is a link reference definition.
func isDefinition(body []byte) bool {
	name, rest, ok := bytes.Cut(body, []byte("]: "))
	if !ok || len(name) < 2 || name[0] != '[' || bytes.ContainsAny(name[1:], "^[]") {
		return false
	}
	words := bytes.Fields(rest) // where it leads, and perhaps a title
	return len(words) == 1 || len(words) > 1 && bytes.IndexByte([]byte("\"'("), words[1][0]) >= 0
}

// PlainText returns Markdown inline text as a reader sees it: wikilinks and links by their
// label, emphasis and highlight marks removed (what is struck out keeps its marks), block ids, embeds and comments left out.
func PlainText(s string) string {
	var b strings.Builder
	for s != "" {
		i := strings.IndexAny(s, "[!*=_%<")
		if i < 0 {
			i = len(s)
		}
		b.WriteString(s[:i])
		shown, n := inline(s[i:])
		b.WriteString(shown)
		s = s[i+n:]
	}
	out := strings.TrimSpace(b.String())
	if i := strings.LastIndex(out, " ^"); i >= 0 && !strings.ContainsAny(out[i+2:], " \t") && len(out)-i < 40 {
		out = strings.TrimSpace(out[:i])
	}
	return out
}

// inline returns what a reader sees of the markup that s begins with, and its length.
func inline(s string) (shown string, n int) {
	link := strings.TrimPrefix(s, "!")
	switch {
	case s == "":
		return "", 0
	case strings.HasPrefix(s, "%%"):
		if _, rest, ok := strings.Cut(s[2:], "%%"); ok {
			return "", len(s) - len(rest)
		}
	case strings.HasPrefix(s, "<!--"):
		if _, rest, ok := strings.Cut(s, "-->"); ok {
			return "", len(s) - len(rest)
		}
	case strings.HasPrefix(s, "**"), strings.HasPrefix(s, "=="), strings.HasPrefix(s, "__"):
		return "", 2
	case strings.HasPrefix(link, "[["):
		if inside, rest, ok := strings.Cut(link[2:], "]]"); ok {
			return linkLabel(inside), len(s) - len(rest)
		}
	case strings.HasPrefix(link, "["):
		label, rest, _ := strings.Cut(link[1:], "](")
		if _, rest, ok := strings.Cut(rest, ")"); ok && !strings.ContainsAny(label, "[\n") {
			return label, len(s) - len(rest)
		}
	}
	return s[:1], 1
}

// linkLabel is what a wikilink's inside shows: its alias, else its target without the folder.
func linkLabel(inside string) string {
	target, label, ok := strings.Cut(inside, "|")
	if !ok {
		label = strings.ReplaceAll(target[strings.LastIndexByte(target, '/')+1:], "#", " ")
	}
	return strings.TrimSpace(label)
}

// Block is a piece of a note that stands for itself: a paragraph, a list item with what is
// nested under it, a quotation, a table row, a property.
type Block struct {
	Kind     LineKind
	Line     int      // first line, 1-based
	End      int      // last line
	Headings []string // the headings above it, outermost first
	Text     string   // plain text, lines joined with a newline
	Raw      string   // as written in the note; of a query its name
}

// Blocks returns the blocks of a note.
func Blocks(text []byte) []Block {
	var c blockCutter
	eachLine(text[:min(len(text), maxPassageText)], c.line)
	c.flush()
	return c.out
}

// blockCutter puts lines together into blocks.
type blockCutter struct {
	out    []Block
	cur    *Block // the block being put together
	path   []Line // the headings above
	indent int    // of the list item being put together
}

func (c *blockCutter) flush() {
	if c.cur != nil && strings.TrimSpace(c.cur.Text) != "" {
		c.out = append(c.out, *c.cur)
	}
	c.cur = nil
}

func (c *blockCutter) begin(l Line) {
	c.flush()
	heads := make([]string, len(c.path))
	for i, h := range c.path {
		heads[i] = string(h.Text)
	}
	c.cur = &Block{Kind: l.Kind, Line: l.Number, End: l.Number, Headings: heads, Text: PlainText(string(l.Text)), Raw: string(l.Raw)}
}

// goesOn reports whether a line continues the current block.
func (c *blockCutter) goesOn(l Line) bool {
	if c.cur == nil {
		return false
	}
	switch l.Kind {
	case LineItem:
		return c.cur.Kind == LineItem && l.Level > c.indent
	case LineText:
		indented := len(l.Raw) > 0 && (l.Raw[0] == ' ' || l.Raw[0] == '\t')
		return c.cur.Kind == LineText || c.cur.Kind == LineItem && (indented || c.cur.End == l.Number-1)
	case LineTable:
		return false
	}
	return c.cur.Kind == l.Kind
}

func (c *blockCutter) line(l Line) {
	switch l.Kind {
	case LineBlank:
		if c.cur == nil || c.cur.Kind != LineItem { // an item may go on after a blank line, indented
			c.flush()
		}
	case LineHeading:
		c.flush()
		for len(c.path) > 0 && c.path[len(c.path)-1].Level >= l.Level {
			c.path = c.path[:len(c.path)-1]
		}
		l.Text = []byte(PlainText(string(l.Text)))
		c.path = append(c.path, l)
	case LineProperty:
		c.flush()
		for _, p := range l.Properties {
			l.Text = []byte(p.Key + ": " + p.Value)
			c.begin(l)
		}
	default:
		if c.goesOn(l) {
			c.cur.Raw += strings.Repeat("\n", l.Number-c.cur.End) + string(l.Raw)
			c.cur.End = l.Number
			c.cur.Text += "\n" + PlainText(string(l.Text))
			return
		}
		if l.Kind == LineTable && strings.Trim(string(l.Text), "|-: \t") == "" {
			return // the rule under a table's head
		}
		if l.Kind == LineItem {
			c.indent = l.Level
		}
		c.begin(l)
	}
}
