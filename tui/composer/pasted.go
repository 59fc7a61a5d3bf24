package composer

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// A long paste stands in the text as one character, and shows as "[Pasted 500 lines]": it is passed
// over and deleted as one, and whoever asks for the text gets all of it. The characters are
// noncharacters of Unicode, which cleaning drops from everything that is typed or pasted, so none
// can be imitated.
const (
	firstPasted = '\uFDD0'
	lastPasted  = '\uFDEF'
)

// From so many lines or bytes on a paste is folded.
const (
	foldLines = 10
	foldBytes = 1000
)

// maxFolds is how many pastes are remembered, so that a text that comes back is folded as it was.
const maxFolds = 64

// pasted is what the characters stand for.
type pasted [lastPasted - firstPasted + 1]string

// pastedAt says which paste stands at the beginning of a text.
func pastedAt(text string) (n int, ok bool) {
	if len(text) < 3 || text[0] != 0xef || text[1] != 0xb7 || text[2] < 0x90 || text[2] > 0xaf {
		return 0, false
	}
	return int(text[2] - 0x90), true
}

// nextPasted is where the next paste stands in a text; len(text) where none does.
func nextPasted(text string) int {
	for at := 0; at < len(text); {
		i := strings.Index(text[at:], "\xef\xb7")
		if i < 0 {
			break
		}
		if _, ok := pastedAt(text[at+i:]); ok {
			return at + i
		}
		at += i + 2
	}
	return len(text)
}

// pieces goes through a text, and tells which parts of it are pastes.
func pieces(text string, visit func(part string, paste int)) {
	for text != "" {
		at := nextPasted(text)
		if at > 0 {
			visit(text[:at], -1)
		}
		if at == len(text) {
			return
		}
		n, _ := pastedAt(text[at:])
		visit(text[at:at+3], n)
		text = text[at+3:]
	}
}

// expand is a text with all that was pasted in it.
func (p *pasted) expand(text string) string {
	if nextPasted(text) == len(text) {
		return text
	}
	var b strings.Builder
	pieces(text, func(part string, paste int) {
		if paste >= 0 {
			part = p[paste]
		}
		b.WriteString(part)
	})
	return b.String()
}

// label is what a paste shows as.
func (p *pasted) label(n int) string {
	text := strings.TrimSuffix(p[n], "\n")
	if lines := strings.Count(text, "\n") + 1; lines > 1 {
		return fmt.Sprintf("[Pasted %d lines]", lines)
	}
	return fmt.Sprintf("[Pasted %d characters]", utf8.RuneCountInString(text))
}

// free gives a character that stands nowhere in the text; false where there is none.
func (e *editor) free() (rune, bool) {
	for r := rune(firstPasted); r <= lastPasted; r++ {
		if !slices.ContainsFunc(e.lines, func(l string) bool { return strings.ContainsRune(l, r) }) {
			return r, true
		}
	}
	return 0, false
}

// long says whether a paste is folded.
func long(text string) bool {
	return strings.Count(strings.TrimSuffix(text, "\n"), "\n")+1 >= foldLines || len(text) > foldBytes
}

// Paste puts what was pasted at the cursor: a long text as one piece, which a second paste of the
// same text unfolds. False, and nothing is inserted, when the whole would be longer than 8 MB.
func (m *Model) Paste(text string) bool {
	text = clean(text)
	m.changes++
	e := &m.editor
	if n, ok := e.pasteBefore(); ok && e.pasted[n] == text {
		e.unfold(e.line, e.col-3)
		return true
	}
	if m.editor.size()+len(text) > maxInput {
		return false
	}
	if r, ok := e.free(); ok && long(text) {
		m.fold(text)
		e.pasted[r-firstPasted], e.folds = text, true
		e.insert(string(r))
		return true
	}
	e.insert(text)
	return true
}

// PasteMore puts what belongs to the paste before the cursor behind it, within the same piece; where
// there is none it is Paste.
func (m *Model) PasteMore(text string) bool {
	e := &m.editor
	n, ok := e.pasteBefore()
	if !ok {
		return m.Paste(text)
	}
	text = clean(text)
	if m.editor.size()+len(text) > maxInput {
		return false
	}
	m.changes++
	m.folds = slices.DeleteFunc(m.folds, func(f string) bool { return f == e.pasted[n] })
	e.pasted[n] += text
	m.fold(e.pasted[n])
	return true
}

// fold remembers a paste.
func (m *Model) fold(text string) {
	if slices.Contains(m.folds, text) {
		return
	}
	m.folds = append(m.folds, text)
	m.folds = m.folds[max(0, len(m.folds)-maxFolds):]
}

// Folded reports whether a paste is folded in the text.
func (m *Model) Folded() bool { return m.editor.folds }

// folded is a text with the pastes it holds as one character each.
func (m *Model) folded(e *editor, text string) string {
	if !long(text) {
		return text
	}
	next := rune(firstPasted)
	for _, f := range slices.Backward(m.folds) { // the newest first
		if next > lastPasted {
			break
		}
		at := strings.Index(text, f)
		if bare := strings.TrimRight(f, " \t\n"); at < 0 && long(bare) && strings.HasSuffix(text, bare) { // what is sent ends with no blanks
			at, f = len(text)-len(bare), bare
		}
		if at >= 0 {
			e.pasted[next-firstPasted], e.folds = f, true
			text = text[:at] + string(next) + text[at+len(f):]
			next++
		}
	}
	return text
}

// pasteBefore is the paste that ends at the cursor.
func (e *editor) pasteBefore() (n int, ok bool) {
	if e.col < 3 {
		return 0, false
	}
	return pastedAt(e.current()[e.col-3:])
}

// unfold puts the text of a paste in its place.
func (e *editor) unfold(line, col int) {
	n, _ := pastedAt(e.lines[line][col:])
	e.line, e.col = line, col
	e.lines[line] = e.lines[line][:col] + e.lines[line][col+3:]
	e.insert(e.pasted[n])
}

// Unfold shows all of the paste at the cursor, before it, or else of the first there is; false where
// there is none.
func (m *Model) Unfold() bool {
	m.changes++
	e := &m.editor
	if _, ok := pastedAt(e.current()[e.col:]); ok {
		e.unfold(e.line, e.col)
		return true
	}
	if _, ok := e.pasteBefore(); ok {
		e.unfold(e.line, e.col-3)
		return true
	}
	for i, line := range e.lines {
		if at := nextPasted(line); at < len(line) {
			e.unfold(i, at)
			return true
		}
	}
	return false
}

// size is how much is written, in bytes.
func (e *editor) size() int {
	n := 0
	for _, l := range e.lines {
		n += len(l) + 1
		if !e.folds {
			continue
		}
		pieces(l, func(_ string, paste int) {
			if paste >= 0 {
				n += len(e.pasted[paste])
			}
		})
	}
	return n
}
