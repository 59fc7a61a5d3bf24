package retrieval

import (
	"strings"
)

// Block is a piece of a note that stands for itself: a paragraph, a list item with what is
// nested under it, a quotation, a table row, a property.
type Block struct {
	Kind     LineKind
	Line     int      // first line, 1-based
	End      int      // last line
	Headings []string // the headings above it, outermost first
	Text     string   // plain text, lines joined with a newline
	Task     byte     // list item: as Line.Task
}

// Blocks cuts a note into blocks, in order.
func Blocks(text []byte) []Block {
	if len(text) > maxPassageText {
		text = text[:maxPassageText]
	}
	var c blockCutter
	eachLine(text, c.line)
	c.flush()
	return c.out
}

// blockCutter puts lines together into blocks.
type blockCutter struct {
	out    []Block
	cur    *Block // the block being put together
	path   []Line // the headings above
	props  propertyReader
	indent int // of the list item being put together
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
	c.cur = &Block{Kind: l.Kind, Line: l.Number, End: l.Number, Headings: heads, Text: PlainText(string(l.Text)), Task: l.Task}
}

// goesOn says whether a line belongs to the block being put together.
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
		for _, p := range c.props.line(string(l.Text)) {
			l.Text = []byte(p.Key + ": " + p.Value)
			c.begin(l)
		}
	default:
		if c.goesOn(l) {
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
