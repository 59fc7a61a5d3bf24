package markdown

import (
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// taskMark is the box of a task that is neither open nor done: "- [/] half of it". Which signs there
// are is a custom among Obsidian's users and themes; these are the ones that most know.
type taskMark struct {
	inlineNode
	sign byte
}

// box is what the task is drawn with, and whether there is nothing left to do about it.
func (n *taskMark) box() (drawn string, over bool) {
	switch n.sign {
	case '/': // begun
		return "◐", false
	case '-': // given up
		return "☒", true
	case '>': // put off
		return "▷", false
	}
	return string(n.sign), false // !, ?, *: it matters, is doubtful, stands out
}

type taskMarkParser struct{}

func (taskMarkParser) Trigger() []byte { return []byte{'['} }

// Parse takes a box at the beginning of a list's item.
func (taskMarkParser) Parse(parent ast.Node, block text.Reader, _ parser.Context) ast.Node {
	item, ok := parent.Parent().(*ast.ListItem)
	if !ok || item.FirstChild() != parent || parent.HasChildren() {
		return nil
	}
	line, _ := block.PeekLine()
	if len(line) < 4 || line[2] != ']' || line[3] != ' ' || line[1] >= utf8.RuneSelf {
		return nil
	}
	switch line[1] {
	case '/', '-', '>', '!', '?', '*':
	default:
		return nil
	}
	block.Advance(4)
	return &taskMark{sign: line[1]}
}
