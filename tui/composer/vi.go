package composer

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"chatvault/internal/base/cells"
	"chatvault/tui/composer/vi"
	"chatvault/tui/keys"
)

// SetVi sets whether the keys are those of vi.
func (m *Model) SetVi(on bool) {
	if on == (m.vi != nil) {
		return
	}
	if m.vi = nil; on {
		m.vi = vi.New()
		m.vi.Width = func(text string) int { return m.editor.cells(text) }
		m.vi.Reset(m.text(), m.editor.whole)
	}
}

// Mode returns vi's mode, empty without vi.
func (m *Model) Mode() vi.Mode {
	if m.vi == nil {
		return ""
	}
	return m.vi.Mode()
}

// Commanding reports whether keys are commands of vi and not text.
func (m *Model) Commanding() bool { return m.vi != nil && m.vi.Mode() != vi.Insert }

// Pending returns the keys of a command of vi that is not complete.
func (m *Model) Pending() string {
	if m.Commanding() {
		return m.vi.Pending()
	}
	return ""
}

// Shape returns the shape of the cursor.
func (m *Model) Shape() tea.CursorShape {
	switch {
	case !m.Commanding():
		return tea.CursorBar
	case m.Pending() != "":
		return tea.CursorUnderline
	}
	return tea.CursorBlock
}

// text returns the text with folded pastes as characters.
func (m *Model) text() string { return strings.Join(m.editor.lines, "\n") }

// edit lets vi edit the text, unless it would exceed maxInput.
func (m *Model) edit(by func(vi.Buffer) vi.Buffer) {
	e, was := &m.editor, m.editor
	text, at := m.text(), e.place()
	now := by(vi.Buffer{Text: text, At: at})
	if now.Text == text && now.At == at {
		return
	}
	if now.Text != text {
		e.lines = strings.Split(now.Text, "\n")
		m.changes++
	}
	if e.size() > maxInput {
		*e = was
		return
	}
	e.goTo(now.At)
	e.goal = -1
}

// settle moves the cursor onto a character, where vi wants it.
func (m *Model) settle() {
	if m.Mode() == vi.Normal && m.Pending() == "" {
		goal := m.editor.goal
		m.edit(m.vi.Escape)
		m.editor.goal = goal
	}
}

// Escapes reports whether vi inserts, selects or waits for more keys.
func (m *Model) Escapes() bool {
	return m.Mode() != "" && (m.Mode() != vi.Normal || m.Pending() != "")
}

// Escape leaves insert mode, a selection or an incomplete command.
func (m *Model) Escape() {
	if m.Escapes() {
		m.edit(m.vi.Escape)
	}
}

// Command handles a command of vi and reports whether the key was one. copied is the text that it copied to the
// clipboard.
func (m *Model) Command(k tea.KeyPressMsg) (copied string, handled bool) {
	name := keys.Name(k)
	text, isText := keys.Text(k)
	moves := m.Escapes()
	switch {
	case m.vi.Pending() == "g" && (text == "j" || text == "k"): // by drawn rows, which vi does not know
		m.edit(m.vi.Escape)
		m.editor.vertical(map[string]int{"j": 1, "k": -1}[text], m.textWidth())
		m.settle()
	case isText && !keys.IsPaste(k):
		for text != "" {
			n := cells.First(text)
			key := text[:n]
			m.edit(func(b vi.Buffer) vi.Buffer { return m.vi.Key(b, key) })
			text = text[n:]
		}
	case name == "ctrl+r", name == "left", name == "right", name == "backspace", name == "delete" && !m.Empty(),
		moves && (name == "up" || name == "down" || name == "home" || name == "end" || name == "enter"):
		m.edit(func(b vi.Buffer) vi.Buffer { return m.vi.Key(b, name) })
	default:
		return "", false
	}
	copied, m.vi.Copied = m.editor.whole(m.vi.Copied), ""
	return copied, true
}

// SetClipboard sets the register of the clipboard.
func (m *Model) SetClipboard(text string) {
	if text = clean(text); m.vi != nil {
		m.vi.Clipboard = vi.Register{Text: strings.TrimSuffix(text, "\n"), Lines: strings.HasSuffix(text, "\n")}
	}
}
