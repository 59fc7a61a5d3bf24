package composer

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// A long paste is one character in the text, drawn as "[Pasted 500 lines]". The cursor skips and deletes it as one,
// and Value expands it. The characters are Unicode noncharacters, which clean removes from all typed and pasted text,
// so they cannot be forged.
const (
	firstPasted = '\uFDD0'
	lastPasted  = '\uFDEF'
)

// A paste with at least this many lines or bytes is folded.
const (
	foldLines = 10
	foldBytes = 1000
)

// maxFolds is the number of pastes remembered for folding them again when a text returns.
const maxFolds = 64

// pasted maps the characters to the pasted texts.
type pasted [lastPasted - firstPasted + 1]string

// pastedAt returns the index of the paste at the beginning of a text.
func pastedAt(text string) (n int, ok bool) {
	if len(text) < 3 || text[0] != 0xef || text[1] != 0xb7 || text[2] < 0x90 || text[2] > 0xaf {
		return 0, false
	}
	return int(text[2] - 0x90), true
}

// nextPasted returns the offset of the next paste in a text, or len(text).
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

// pieces calls visit for each part of a text; paste is the index of a paste, or -1.
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

// expand returns a text with its pastes expanded.
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

// label returns the text drawn for a paste.
func (p *pasted) label(n int) string {
	text := strings.TrimSuffix(p[n], "\n")
	if lines := strings.Count(text, "\n") + 1; lines > 1 {
		return fmt.Sprintf("[Pasted %d lines]", lines)
	}
	return fmt.Sprintf("[Pasted %d characters]", utf8.RuneCountInString(text))
}

// free returns a character not used in the text, or false.
func (e *editor) free() (rune, bool) {
	for r := rune(firstPasted); r <= lastPasted; r++ {
		if !slices.ContainsFunc(e.lines, func(l string) bool { return strings.ContainsRune(l, r) }) {
			return r, true
		}
	}
	return 0, false
}

// long reports whether a paste is long enough to be folded.
func long(text string) bool {
	return strings.Count(strings.TrimSuffix(text, "\n"), "\n")+1 >= foldLines || len(text) > foldBytes
}

// Paste inserts a paste at the cursor and folds it if it is long; pasting the same text again unfolds it. It returns
// false, without inserting anything, if the result would exceed maxInput.
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

// PasteMore appends to the paste before the cursor, or is Paste if there is none.
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

// Folded reports whether the text contains a folded paste.
func (m *Model) Folded() bool { return m.editor.folds }

// folded returns a text with remembered pastes folded.
func (m *Model) folded(e *editor, text string) string {
	if !long(text) {
		return text
	}
	next := rune(firstPasted)
	for _, f := range slices.Backward(m.folds) { // newest first
		if next > lastPasted {
			break
		}
		at := strings.Index(text, f)
		if bare := strings.TrimRight(f, " \t\n"); at < 0 && long(bare) && strings.HasSuffix(text, bare) { // sent without trailing blanks
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

// pasteBefore returns the paste that ends at the cursor.
func (e *editor) pasteBefore() (n int, ok bool) {
	if e.col < 3 {
		return 0, false
	}
	return pastedAt(e.current()[e.col-3:])
}

// unfold replaces a folded paste by its text.
func (e *editor) unfold(line, col int) {
	n, _ := pastedAt(e.lines[line][col:])
	e.line, e.col = line, col
	e.lines[line] = e.lines[line][:col] + e.lines[line][col+3:]
	e.insert(e.pasted[n])
}

// Unfold expands the paste at or before the cursor, or else the first one. It returns false if there is none.
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

// size returns the length of the text in bytes, with pastes expanded.
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
