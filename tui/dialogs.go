package tui

import (
	tea "github.com/charmbracelet/bubbletea"

	"chatvault/tui/dialog"
	"chatvault/tui/keys"
	"chatvault/tui/loop"
)

// dialogKey gives a key to the open dialog. Text is not for it, unless it has a field: typing
// goes on. One that takes no keys yet takes no text into its field either.
func (m *Model) dialogKey(k tea.KeyMsg) (taken bool, cmd tea.Cmd) {
	if m.dialogs.Empty() || keys.Matches(k, m.keys.Redraw, m.keys.Suspend) {
		return false, nil
	}
	if m.reading() != nil && keys.Matches(k, m.keys.Details) {
		return false, nil
	}
	if !m.dialogs.Writes() && (keys.Matches(k, m.keys.Clear) && !m.composer.Empty() || keys.Matches(k, m.keys.QuitEmpty)) {
		return false, nil // what is written below is cleared before anything is decided; leaving is always possible
	}
	if _, text := keys.Text(k); !m.dialogs.Takes(m.now()) {
		m.dialogs.Wait(m.now(), text || decides(k))
		if !text || m.dialogs.Writes() {
			return m.composer.Empty() && decides(k), nil
		}
	}
	if decides(k) && m.composer.Empty() && m.dialogs.Hasty(m.now()) {
		return true, nil
	}
	out := m.dialogs.Key(k)
	if out.Before != "" && m.composer.Insert(out.Before) {
		m.markTyped()
	}
	switch result := out.Result.(type) {
	case nil:
	case loop.Now:
		cmd = result()
	case openVaultMsg, paletteMsg, pressMsg:
		cmd = m.update(result, m.dirty) // at once: the next key is for what comes of it
	default:
		cmd = func() tea.Msg { return out.Result }
	}
	return !out.Typed, cmd
}

// decides says whether a key could decide something in a dialog: one that was pressed before
// the dialog takes keys does nothing else either, unless a text is being written.
func decides(k tea.KeyMsg) bool {
	switch k.Type {
	case tea.KeyEnter, tea.KeyTab, tea.KeyShiftTab, tea.KeyUp, tea.KeyDown:
		return true
	}
	return false
}

// stopShowing closes what is only read, and what it was chosen from: what was sent below it, and
// the answer, are to be seen.
func (m *Model) stopShowing() {
	if d := m.dialogs.Top(); m.views.base.Reads(d) {
		m.views.base.Stop()
	} else if m.previews() {
		m.dialogs.Remove(m.shownNote.dialog)
	}
}

// wheelLines is how far a step of the wheel scrolls.
const wheelLines = 3

func (m *Model) wheel(msg tea.MouseMsg) {
	n := 0
	switch msg.Button {
	case tea.MouseButtonWheelUp:
		n = -wheelLines
	case tea.MouseButtonWheelDown:
		n = wheelLines
	}
	if d, ok := m.dialogs.Top().(dialog.Scroller); ok {
		d.Scroll(n)
		return
	}
	m.list.ScrollUp(max(-n, 0))
	m.list.ScrollDown(max(n, 0))
	m.scrolled(false)
}
