package markdown

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// Inline syntax that Obsidian adds and a Markdown parser would misread: formulas, whose signs are not emphasis,
// comments, footnotes and tags. All of it is drawn verbatim.

// verbatimKind is the kind of verbatim text.
type verbatimKind int

const (
	inlineMath verbatimKind = iota // $x^2$
	comment                        // %%text%%
	footnote                       // [^1], drawn as [1]
	caret                          // of ^[a footnote], drawn as [a footnote]
	tag                            // #name
)

// verbatim is text drawn as written.
type verbatim struct {
	inlineNode
	kind  verbatimKind
	shown text.Segment
	label bool // a footnote's label, followed by its text
}

type verbatimParser struct{}

func (verbatimParser) Trigger() []byte { return []byte{'$', '%', '[', '#', '^'} }

func (verbatimParser) Parse(_ ast.Node, block text.Reader, _ parser.Context) ast.Node {
	before := block.PrecendingCharacter()
	line, segment := block.PeekLine()
	n, length := &verbatim{}, 0
	switch line[0] {
	case '$':
		n.kind, length = inlineMath, mathLength(line)
	case '%':
		n.kind, length = comment, commentLength(line)
	case '[':
		n.kind, length = footnote, footnoteLength(line)
		if n.label = length > 0 && before == '\n' && length < len(line) && line[length] == ':'; n.label {
			length++
		}
	case '#':
		n.kind, length = tag, tagLength(line, before)
	case '^':
		n.kind, length = caret, caretLength(line, before)
	}
	if length == 0 {
		return nil
	}
	n.shown = segment.WithStop(segment.Start + length)
	if n.label {
		n.shown = segment.WithStop(segment.Start + length - 1)
	}
	block.Advance(length)
	return n
}

// maxMath bounds an inline formula, in bytes.
const maxMath = 1000

// mathLength returns the length of the formula at the start of line, or 0. A dollar before a space, or before a digit
// as in prices, does not close one.
func mathLength(line []byte) int {
	line = bytes.TrimRight(line[:min(len(line), maxMath)], "\n")
	fence := 1
	if bytes.HasPrefix(line, []byte("$$")) {
		fence = 2
	}
	if len(line) <= 2*fence || line[fence] == ' ' || line[fence] == '$' {
		return 0
	}
	for i := fence + 1; i < len(line); i++ {
		switch {
		case line[i] == '\\':
			i++
		case line[i] != '$':
		case line[i-1] == ' ' && fence == 1:
			return 0
		case fence == 2 && (i+1 == len(line) || line[i+1] != '$'):
		case fence == 1 && i+1 < len(line) && line[i+1] >= '0' && line[i+1] <= '9':
			return 0
		default:
			return i + fence
		}
	}
	return 0
}

// commentLength returns the length of the comment at the start of line, or 0.
func commentLength(line []byte) int {
	if !bytes.HasPrefix(line, []byte("%%")) {
		return 0
	}
	end := bytes.Index(line[2:], []byte("%%"))
	if end < 0 {
		return 0
	}
	return end + 4
}

// footnoteLength returns the length of the footnote reference at the start of line, or 0.
func footnoteLength(line []byte) int {
	if !bytes.HasPrefix(line, []byte("[^")) {
		return 0
	}
	const longest = 60
	for i, c := range line[2:min(len(line), longest)] {
		switch {
		case c == ']' && i > 0:
			return i + 3
		case c <= ' ', c == '[', c == ']', c == '^':
			return 0
		}
	}
	return 0
}

// caretLength returns 1 for an inline footnote directly after a word or a sentence, otherwise 0. The text in its
// brackets may be Markdown.
func caretLength(line []byte, before rune) int {
	if len(line) < 4 || line[1] != '[' || !unicode.IsLetter(before) && !unicode.IsDigit(before) && !strings.ContainsRune(".,;:!?)”’*_", before) {
		return 0
	}
	depth := 0
	for i, c := range line[1:] {
		switch c {
		case '[':
			depth++
		case ']':
			depth--
		}
		if depth == 0 {
			if i > 1 && (i+2 == len(line) || line[i+2] != '(') {
				return 1
			}
			return 0
		}
	}
	return 0
}

// tagLength returns the length of the tag at the start of line, or 0. It must follow a space and not consist of
// digits alone.
func tagLength(line []byte, before rune) int {
	if !unicode.IsSpace(before) && before != '(' {
		return 0
	}
	end, word := 1, false
	for end < len(line) {
		r, n := utf8.DecodeRune(line[end:])
		switch {
		case unicode.IsLetter(r) || r == '_' || r == '-' || r == '/':
			word = true
		case unicode.IsDigit(r), unicode.IsMark(r):
		default:
			n = 0
		}
		if n == 0 {
			break
		}
		end += n
	}
	if !word {
		return 0
	}
	return end
}

// verbatim draws verbatim text.
func (w *inliner) verbatim(n *verbatim, open string) {
	o := &w.r.open
	shown := string(n.shown.Value(w.src))
	switch n.kind {
	case inlineMath:
		open += w.r.styles.Code
	case caret:
		return
	case comment:
		if w.r.hides {
			w.hid = true
			return
		}
		open += o.muted
	case footnote:
		open += o.accent
		shown = "[" + shown[2:]
	case tag:
		open += o.accent
	}
	w.add(visible(shown), open)
}

// taskMark is the box of a task that is neither open nor done, "- [/] half of it". The signs are a convention among
// Obsidian's users and themes; these are the most common.
type taskMark struct {
	inlineNode
	sign byte
}

// box returns the drawn box and reports whether the task is closed.
func (n *taskMark) box() (drawn string, over bool) {
	switch n.sign {
	case '/': // in progress
		return "◐", false
	case '-': // cancelled
		return "☒", true
	case '>': // deferred
		return "▷", false
	}
	return string(n.sign), false // !, ?, *: important, question, star
}

type taskMarkParser struct{}

func (taskMarkParser) Trigger() []byte { return []byte{'['} }

// Parse parses a box at the beginning of a list item.
func (taskMarkParser) Parse(parent ast.Node, block text.Reader, _ parser.Context) ast.Node {
	item, ok := parent.Parent().(*ast.ListItem)
	if !ok || item.FirstChild() != parent || parent.HasChildren() {
		return nil
	}
	line, _ := block.PeekLine()
	if len(line) < 4 || line[2] != ']' || line[3] != ' ' || bytes.IndexByte([]byte("/->!?*"), line[1]) < 0 {
		return nil
	}
	block.Advance(4)
	return &taskMark{sign: line[1]}
}
