package composer

import (
	"slices"
	"strings"
	"unicode"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"chatvault/internal/base/cells"
	"chatvault/tui/keys"
)

// tabWidth is the width of a tab, in cells.
const tabWidth = 4

// editor is the text and the cursor. The number of lines is not limited and does not affect the cost of a key.
// Positions are byte offsets at grapheme cluster boundaries.
type editor struct {
	lines []string // at least one
	line  int
	col   int
	goal  int // target column of vertical movement, in cells; -1 for the cursor's
	pastes

	top spot // first visible row
}

func newEditor() editor { return editor{lines: []string{""}, goal: -1} }

func (e *editor) current() string { return e.lines[e.line] }

// key handles a key that moves or deletes within the text.
func (e *editor) key(k tea.KeyPressMsg, on *KeyMap) bool {
	wordLeft, wordRight := e.within(e.wordLeft, e.left), e.within(e.wordRight, e.right)
	for _, a := range []struct {
		on key.Binding
		do func()
	}{
		{on.Left, e.left},
		{on.Right, e.right},
		{on.WordLeft, wordLeft},
		{on.WordRight, wordRight},
		{on.LineStart, e.lineStart},
		{on.LineEnd, e.lineEnd},
		{on.Backspace, func() { e.erase(e.left) }},
		{on.Delete, func() { e.erase(e.right) }},
		{on.DeleteWordLeft, func() { e.erase(wordLeft) }},
		{on.DeleteWordRight, func() { e.erase(wordRight) }},
		{on.KillLeft, func() { e.erase(e.within(e.lineStart, e.left)) }},
		{on.KillRight, func() { e.erase(e.within(e.lineEnd, e.right)) }},
	} {
		if keys.Matches(k, a.on) {
			a.do()
			return true
		}
	}
	return false
}

func (e *editor) insert(text string) {
	if text == "" {
		return
	}
	before, after := e.current()[:e.col], e.current()[e.col:]
	added := strings.Split(text, "\n")
	last := len(added) - 1
	e.goal = -1
	if last == 0 {
		e.lines[e.line] = before + text + after
		e.col = len(before) + len(text)
		return
	}
	end := len(added[last])
	added[0] = before + added[0]
	added[last] += after
	e.lines = slices.Replace(e.lines, e.line, e.line+1, added...)
	e.line += last
	e.col = end
}

func (e *editor) left() {
	e.goal = -1
	switch {
	case e.col > 0:
		e.col -= cells.Last(e.current()[:e.col])
	case e.line > 0:
		e.line--
		e.col = len(e.current())
	}
}

func (e *editor) right() {
	e.goal = -1
	switch {
	case e.col < len(e.current()):
		e.col += cells.First(e.current()[e.col:])
	case e.line < len(e.lines)-1:
		e.line++
		e.col = 0
	}
}

// erase deletes the text between the cursor and where move takes it.
func (e *editor) erase(move func()) {
	line, col := e.line, e.col
	if move(); e.line > line || e.line == line && e.col > col {
		line, col, e.line, e.col = e.line, e.col, line, col
	}
	e.goal = -1
	e.lines[e.line] = e.current()[:e.col] + e.lines[line][col:]
	e.lines = slices.Delete(e.lines, e.line+1, line+1)
}

// within returns a movement within the line or, if the cursor is at the line's edge already, the movement beyond.
func (e *editor) within(move, beyond func()) func() {
	return func() {
		was := e.col
		if move(); e.col == was {
			beyond()
		}
	}
}

// wordLeft and wordRight move over separators and a word.
func (e *editor) wordLeft() {
	e.goal = -1
	text := e.current()[:e.col]
	text = strings.TrimRightFunc(text, between)
	e.col = len(strings.TrimRightFunc(text, inWord))
}

func (e *editor) wordRight() {
	e.goal = -1
	rest := e.current()[e.col:]
	rest = strings.TrimLeftFunc(rest, between)
	e.col = len(e.current()) - len(strings.TrimLeftFunc(rest, inWord))
}

func inWord(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.Is(unicode.M, r) || r == '_' || isPaste(r)
}

func between(r rune) bool { return !inWord(r) }

// place returns the cursor's byte offset in the whole text.
func (e *editor) place() int {
	at := e.col
	for _, l := range e.lines[:e.line] {
		at += len(l) + 1
	}
	return at
}

// goTo moves the cursor to a byte offset in the whole text.
func (e *editor) goTo(at int) {
	for e.line = 0; at > len(e.current()); e.line++ {
		at -= len(e.current()) + 1
	}
	e.col = at
}

func (e *editor) lineStart() { e.col, e.goal = 0, -1 }

func (e *editor) lineEnd() { e.col, e.goal = len(e.current()), -1 }

// cells returns the drawn width of text.
func (e *editor) cells(text string) int {
	if len(text) == 1 && text[0] != '\t' {
		return 1
	}
	return cells.Width(e.shown(text, lipgloss.Style{}))
}

// rowOf returns the index of the row that contains col, given the offsets at which rows start.
func rowOf(starts []int, col int) int {
	for i := len(starts) - 1; i > 0; i-- {
		if col >= starts[i] {
			return i
		}
	}
	return 0
}

// vertical moves by one drawn row. It returns false at the edge of the text.
func (e *editor) vertical(by, width int) bool {
	starts := e.rows(e.current(), width)
	row := rowOf(starts, e.col)
	if e.goal < 0 {
		e.goal = e.cells(e.current()[starts[row]:e.col])
	}
	row += by
	switch {
	case row < 0 && e.line == 0, row >= len(starts) && e.line == len(e.lines)-1:
		return false
	case row < 0:
		e.line--
		starts = e.rows(e.current(), width)
		row = len(starts) - 1
	case row >= len(starts):
		e.line++
		starts = e.rows(e.current(), width)
		row = 0
	}
	e.col = e.column(starts, row)
	return true
}

// column returns the position in a row that is nearest to the goal, given the rows' start offsets.
func (e *editor) column(starts []int, row int) int {
	text := e.current()
	end := len(text)
	if row+1 < len(starts) {
		end = starts[row+1]
	}
	at, used := starts[row], 0
	for at < end {
		n := cells.First(text[at:])
		w := e.cells(text[at : at+n])
		if used+w > e.goal || row+1 < len(starts) && at+n >= end {
			break
		}
		used += w
		at += n
	}
	return at
}

// rows returns the offsets at which the drawn rows of a line start. They end after a space if possible, and leave one
// cell for the cursor.
func (e *editor) rows(line string, width int) []int {
	starts := []int{0}
	if len(line) < width && e.cells(line) < width {
		return starts
	}
	used, breakAt := 0, -1
	for i := 0; i < len(line); {
		n := cells.First(line[i:])
		w := e.cells(line[i : i+n])
		for used+w >= width && i > starts[len(starts)-1] {
			start := i
			if breakAt > starts[len(starts)-1] {
				start = breakAt
			}
			starts = append(starts, start)
			used, breakAt = e.cells(line[start:i]), -1
		}
		used += w
		i += n
		if line[i-n] == ' ' || line[i-n] == '\t' {
			breakAt = i
		}
	}
	return starts
}
