package tui

import (
	"chatvault/tui/find"
	"chatvault/tui/keys"
	"chatvault/tui/selection"

	tea "github.com/charmbracelet/bubbletea"
)

// exploring is what goes on while the user moves about in the transcript.
type exploring struct {
	find      *find.Search
	selection *selection.Selection
	shownNote previewing // the note that is shown
	pointer   pointer
}

// findKey handles a key while words are looked for, and the one that begins it.
func (m *Model) findKey(k tea.KeyMsg) (handled bool, cmd tea.Cmd) {
	if !m.find.Active() {
		if keys.Matches(k, m.keys.Find) {
			return true, m.find.Open()
		}
		return false, nil
	}
	if handled, cmd := m.find.Key(k); handled {
		return true, cmd
	}
	switch {
	case keys.Matches(k, m.keys.Find):
		return true, m.find.Next(1)
	case keys.Matches(k, m.keys.Clear):
		m.find.Close()
		return true, nil
	case keys.Matches(k, m.keys.SelectUp, m.keys.SelectDown):
		it := m.find.At()
		m.find.Close()
		if it == nil {
			return false, nil
		}
		m.selection.Select(it)
		return true, nil
	case keys.Matches(k, m.keys.Stop, m.keys.Details, m.keys.PageUp, m.keys.PageDown, m.keys.LineUp, m.keys.LineDown,
		m.keys.Top, m.keys.Bottom, m.keys.Redraw, m.keys.Suspend, m.keys.Help, m.keys.Mouse):
		return false, nil
	}
	return true, m.find.Write(k)
}
