package composer

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"charm.land/lipgloss/v2"
)

// A long paste is one character in the text, drawn as "[Pasted 500 lines]". The characters are Unicode noncharacters,
// which clean removes from all typed and pasted text.
const (
	firstPaste = '\uFDD0'
	maxPastes  = 32 // in a text; more are inserted in full
)

// A paste with more lines or bytes is folded.
const (
	unfoldedLines = 10
	unfoldedBytes = 2000
)

// pastes are the folded pastes of a text. The one at index i is drawn and edited as the character firstPaste+i.
type pastes []string

func isPaste(r rune) bool { return r >= firstPaste && r < firstPaste+maxPastes }

// replace replaces the characters of pastes.
func (p pastes) replace(text string, by func(paste string) string) string {
	for i, paste := range p {
		if mark := string(rune(firstPaste + i)); strings.Contains(text, mark) {
			text = strings.ReplaceAll(text, mark, by(paste))
		}
	}
	return text
}

// whole returns a text with its pastes in full.
func (p pastes) whole(text string) string {
	return p.replace(text, func(paste string) string { return paste })
}

// shown returns the drawn form of a text.
func (p pastes) shown(text string, style lipgloss.Style) string {
	return p.replace(strings.ReplaceAll(text, "\t", strings.Repeat(" ", tabWidth)), func(paste string) string {
		if n := lineCount(paste); n > 1 {
			return style.Render(fmt.Sprintf("[Pasted %d lines]", n))
		}
		return style.Render(fmt.Sprintf("[Pasted %d characters]", utf8.RuneCountInString(paste)))
	})
}

func lineCount(text string) int { return strings.Count(strings.TrimSuffix(text, "\n"), "\n") + 1 }

// size returns the length of the text in bytes, with pastes in full.
func (e *editor) size() int { return len(e.whole(strings.Join(e.lines, "\n"))) }

// Paste inserts a paste at the cursor and folds it if it is long. Pasting it again unfolds it instead. It returns
// false, without inserting anything, if the result would exceed maxInput.
func (m *Model) Paste(text string) bool {
	text = clean(text)
	e := &m.editor
	switch {
	case m.AfterPaste() && e.pastes[e.before()-firstPaste] == text:
		m.Unfold()
		return true
	case len(e.pastes) == maxPastes || lineCount(text) <= unfoldedLines && len(text) <= unfoldedBytes:
		return m.Insert(text)
	case e.size()+len(text) > maxInput:
		return false
	}
	m.changes++
	e.pastes = append(e.pastes, text)
	e.insert(string(rune(firstPaste + len(e.pastes) - 1)))
	return true
}

// AfterPaste reports whether the cursor is behind a folded paste.
func (m *Model) AfterPaste() bool { return isPaste(m.editor.before()) }

// before returns the character before the cursor.
func (e *editor) before() rune {
	r, _ := utf8.DecodeLastRuneInString(e.current()[:e.col])
	return r
}

// Unfold shows all pastes in full. They are kept, so that vi can undo it.
func (m *Model) Unfold() {
	e, text := &m.editor, m.text()
	at := len(e.whole(text[:e.place()]))
	e.lines = strings.Split(e.whole(text), "\n")
	e.goTo(at)
	e.goal = -1
	m.changes++
}
