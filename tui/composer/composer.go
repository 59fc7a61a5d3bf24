// Package composer is the input field for messages: a text of any length in a view of bounded height, with a history
// of sent messages. A paste is inserted and never sends the message, no line is dropped, and the draft survives
// browsing the history.
package composer

import (
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"chatvault/internal/base/terminal"
	"chatvault/tui/composer/vi"
	"chatvault/tui/keys"
	"chatvault/tui/theme"
)

// Placeholder is shown while the text is empty.
const Placeholder = "Ask about your notes"

// maxInput bounds the text, in bytes; more could not be sent.
const maxInput = 8 << 20

// Model is the composer.
type Model struct {
	styles *theme.Styles
	keys   KeyMap
	editor editor
	vi     *vi.Editor // nil for the keys of emacs
	width  int
	limit  int // maximum number of rows

	unfocused bool // keys go elsewhere

	history
	changes int
}

// New returns an empty composer.
func New(s *theme.Styles) *Model {
	return &Model{styles: s, keys: DefaultKeyMap(), editor: newEditor(), width: 80, limit: 8}
}

// SetKeys sets the key bindings.
func (m *Model) SetKeys(k KeyMap) { m.keys = k }

// Focus sets whether the composer receives keys and shows a cursor.
func (m *Model) Focus(has bool) { m.unfocused = !has }

// SetSize sets the width in cells and the maximum number of rows.
func (m *Model) SetSize(width, limit int) {
	m.width, m.limit = max(width, 4), max(limit, 1)
}

// Value returns the text, with pastes in full.
func (m *Model) Value() string { return m.editor.whole(m.text()) }

// Empty reports whether the text is empty.
func (m *Model) Empty() bool { return len(m.editor.lines) == 1 && m.editor.lines[0] == "" }

// AtEnd reports whether the cursor is at the end of the text.
func (m *Model) AtEnd() bool {
	e := &m.editor
	return e.line == len(e.lines)-1 && e.col == len(e.current())
}

// SetValue replaces the text and moves the cursor to its end.
func (m *Model) SetValue(text string) {
	e := newEditor()
	e.insert(clean(text))
	m.replace(e)
}

// replace replaces the text. The registers of vi get pastes in full, which belong to the text.
func (m *Model) replace(e editor) {
	m.changes++
	whole := m.editor.whole
	if m.editor = e; m.vi != nil {
		m.vi.Reset(m.text(), whole)
		m.settle()
	}
}

// Clear empties the text and returns from the history to the draft.
func (m *Model) Clear() {
	m.SetValue("")
	m.at, m.draft = len(m.texts), newEditor()
}

// Continue replaces a backslash at the very end by a line break. It returns false if there is none, in which case
// Enter sends.
func (m *Model) Continue() bool {
	e := &m.editor
	text := e.current()
	if e.line != len(e.lines)-1 || e.col != len(text) || !strings.HasSuffix(text, `\`) || strings.HasSuffix(text, `\\`) {
		return false
	}
	e.erase(e.left)
	e.insert("\n")
	return true
}

// Insert inserts text at the cursor. It returns false, without inserting anything, if the result would exceed
// maxInput.
func (m *Model) Insert(text string) bool {
	if m.editor.size()+len(text) > maxInput {
		return false
	}
	m.changes++
	m.editor.insert(clean(text))
	return true
}

func clean(text string) string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	return terminal.Text(strings.ReplaceAll(text, "\r", "\n"))
}

// Key handles a key and reports whether it did. Up and Down at the edges of the text browse the history; during a
// search of the history, keys go to the search.
func (m *Model) Key(k tea.KeyPressMsg) bool {
	m.changes++
	defer m.settle()
	e := &m.editor
	if text, ok := keys.Text(k); ok {
		m.Insert(text)
		return true
	}
	switch on := &m.keys; {
	case keys.Matches(k, on.Newline):
		e.insert("\n")
	case keys.Matches(k, on.Up):
		m.vertical(-1, m.older)
	case keys.Matches(k, on.Down):
		m.vertical(1, m.newer)
	case keys.Matches(k, on.Unfold):
		m.Unfold()
	default:
		return e.key(k, on)
	}
	return true
}

// vertical moves by a drawn row and calls beyond at the edge of the text.
func (m *Model) vertical(by int, beyond func()) {
	if !m.editor.vertical(by, m.textWidth()) {
		beyond()
	}
}

func (m *Model) older() {
	if m.at == 0 {
		m.editor.lineStart()
		return
	}
	m.Recall(m.at - 1)
}

func (m *Model) newer() {
	switch m.at {
	case len(m.texts):
		m.editor.lineEnd()
	case len(m.texts) - 1:
		m.at++
		m.replace(m.draft)
	default:
		m.Recall(m.at + 1)
	}
}

// Recall shows a text of the history, by its index, and keeps the draft.
func (m *Model) Recall(at int) {
	if m.at == len(m.texts) {
		m.draft = m.editor
	}
	m.at = at
	m.SetValue(m.texts[at])
}

// Line returns the cursor's line and byte column, and reports whether it is the only line.
func (m *Model) Line() (line string, col int, only bool) {
	e := &m.editor
	return e.current(), e.col, len(e.lines) == 1
}

// Replace replaces bytes of the cursor's line and moves the cursor behind the new text.
func (m *Model) Replace(from, to int, text string) {
	e := &m.editor
	m.changes++
	line := e.current()
	e.lines[e.line] = line[:from] + line[to:]
	e.col, e.goal = from, -1
	m.Insert(text)
}

// Revision changes whenever the text may have changed.
func (m *Model) Revision() int { return m.changes }

// KeyMap holds the composer's bindings.
type KeyMap struct {
	Newline, Left, Right, Up, Down, WordLeft, WordRight, LineStart, LineEnd,
	Backspace, Delete, DeleteWordLeft, DeleteWordRight, KillLeft, KillRight, Unfold key.Binding
}

// DefaultKeyMap returns bindings in the style of readline. There are several for a new line because some terminals
// send the same for Shift+Enter and Enter.
func DefaultKeyMap() KeyMap {
	bind := keys.Bind
	return KeyMap{
		Newline:         bind("Shift+Enter, Ctrl+J", "new line (so do Alt+Enter, and a \\ before Enter)", "shift+enter", "alt+enter", "ctrl+j", "ctrl+enter"),
		Left:            bind("←", "left", "left", "ctrl+b"),
		Right:           bind("→", "right", "right"),
		Up:              bind("↑", "line up, then earlier messages", "up"),
		Down:            bind("↓", "line down, then later messages", "down"),
		WordLeft:        bind("Ctrl+←", "word left", "ctrl+left", "alt+left", "alt+b"),
		WordRight:       bind("Ctrl+→", "word right", "ctrl+right", "alt+right", "alt+f"),
		LineStart:       bind("Home, Ctrl+A", "start of line", "home", "ctrl+a"),
		LineEnd:         bind("End, Ctrl+E", "end of line", "end", "ctrl+e"),
		Backspace:       bind("Backspace", "delete left", "backspace", "ctrl+h"),
		Delete:          bind("Delete", "delete right", "delete", "ctrl+d"),
		DeleteWordLeft:  bind("Ctrl+W", "delete word left", "ctrl+w", "alt+backspace"),
		DeleteWordRight: bind("Alt+D", "delete word right", "alt+d", "alt+delete"),
		KillLeft:        bind("Ctrl+U", "delete to start of line", "ctrl+u"),
		KillRight:       bind("Ctrl+K", "delete to end of line", "ctrl+k"),
		Unfold:          bind("Ctrl+X", "show all of the pasted text (or paste it again)", "ctrl+x"),
	}
}

// history holds sent messages, oldest first.
type history struct {
	texts []string
	at    int    // index in texts; len(texts) is the draft
	draft editor // the text before browsing the history
}

// History returns the sent messages, oldest first.
func (h *history) History() []string { return h.texts }

// SetHistory adds older messages, oldest first, before those remembered so far.
func (h *history) SetHistory(older []string) {
	h.texts = append(append([]string{}, older...), h.texts...)
	h.at += len(older)
}

// Remember appends text to the history. It returns false for blank text and a repetition of the last entry.
func (h *history) Remember(text string) bool {
	text = strings.TrimRight(text, "\n")
	atDraft := h.at == len(h.texts)
	fresh := strings.TrimSpace(text) != "" && (len(h.texts) == 0 || h.texts[len(h.texts)-1] != text)
	if fresh {
		h.texts = append(h.texts, text)
	}
	if atDraft {
		h.at = len(h.texts)
	}
	return fresh
}
