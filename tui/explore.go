package tui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"chatvault/tui/chat"
	"chatvault/tui/keys"
	"chatvault/tui/list"
)

// findKey handles a key while find is open, and the key that opens it.
func (m *Model) findKey(k tea.KeyPressMsg) (handled bool, cmd tea.Cmd) {
	if !m.find.Active() {
		if keys.Matches(k, m.keys.Find) && !m.composer.Commanding() {
			return true, m.find.Open()
		}
		return false, nil
	}
	if m.find.Kept() {
		return m.keptKey(k)
	}
	if m.composer.Mode() != "" && keys.Name(k) == "enter" {
		m.find.Keep()
		return true, nil
	}
	if handled, cmd := m.find.Key(k); handled {
		return true, cmd
	}
	switch {
	case keys.Matches(k, m.keys.Find):
		return true, m.find.Next(-1)
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
		m.keys.Redraw, m.keys.Suspend, m.keys.Help, m.keys.Mouse):
		return false, nil
	}
	return true, m.find.Write(k)
}

// selectionKey handles the keys that move the selection or act on it. Any other key that writes or moves in the text
// clears the selection and keeps its own effect.
func (m *Model) selectionKey(k tea.KeyPressMsg) (handled bool, cmd tea.Cmd) {
	switch {
	case keys.Matches(k, m.keys.SelectUp):
		m.selection.Step(-1)
		return true, nil
	case keys.Matches(k, m.keys.SelectDown):
		m.selection.Step(1)
		return true, nil
	case !m.selection.Active() && keys.Matches(k, m.keys.Cited):
		if !m.selection.ChooseLast() {
			return true, m.flash("No answer here refers to a note", quitWindow)
		}
		return true, nil
	case !m.selection.Active(), keys.Matches(k, m.keys.Stop, m.keys.Details, m.keys.PageUp, m.keys.PageDown, m.keys.LineUp, m.keys.LineDown,
		m.keys.Top, m.keys.Bottom, m.keys.Redraw, m.keys.Suspend, m.keys.Help, m.keys.Palette, m.keys.Find, m.keys.Mouse):
		return false, nil
	}
	if handled, cmd := m.actOnSelected(k); handled {
		return true, cmd
	}
	m.selection.Leave()
	return false, nil
}

// actOnSelected handles the keys that act on the selected item.
func (m *Model) actOnSelected(k tea.KeyPressMsg) (handled bool, cmd tea.Cmd) {
	s, on := m.selection, &m.keys.Selected
	switch {
	case keys.Matches(k, on.Before):
		s.Step(-1)
	case keys.Matches(k, on.After):
		s.Step(1)
	case keys.Matches(k, on.NextNote):
		return true, m.chooseStep(1)
	case keys.Matches(k, on.NoteBefore):
		return true, m.chooseStep(-1)
	case keys.Matches(k, on.Note):
		return true, m.enterSelected()
	case keys.Matches(k, on.Fold):
		if !s.Fold() {
			return true, m.flash("Nothing to unfold here", quitWindow)
		}
	case keys.Matches(k, on.Copy):
		text, called := s.Source()
		return true, m.copyText(called, text)
	case keys.Matches(k, on.CopyCode):
		if len(s.Code()) == 0 {
			return true, m.flash("No code block here", quitWindow)
		}
		return true, m.copyCode()
	case keys.Matches(k, on.Edit):
		return true, m.editSelected()
	case keys.Matches(k, on.Again):
		return true, m.againSelected()
	case keys.Matches(k, on.Open):
		if c, ok := s.Chosen(); ok && (m.o.Citing.Open != nil || m.o.Citing.Edit != nil) {
			return true, m.openNote(c)
		}
		return true, m.flash(noReference, quitWindow)
	default:
		return false, nil
	}
	return true, nil
}

// noReference is shown if there is no note to open.
const noReference = "No note is mentioned here"

func (v *preview) chooseStep(n int) tea.Cmd {
	if !v.selection.ChooseStep(n) {
		return v.flash(noReference, quitWindow)
	}
	return nil
}

// enterSelected shows the chosen note or, if the item refers to none, folds or unfolds the item.
func (m *Model) enterSelected() tea.Cmd {
	if c, ok := m.selection.Chosen(); ok && m.o.Citing.Preview != nil {
		return m.show(c)
	}
	if m.selection.Fold() {
		return nil
	}
	return m.flash(noReference, quitWindow)
}

func (m *Model) copyCode() tea.Cmd {
	code, at := m.selection.TakeCode()
	what := "the code"
	if n := len(m.selection.Code()); n > 1 {
		what = fmt.Sprintf("code block %d of %d", at+1, n)
	}
	return m.copyText(what, code.Text)
}

// editSelected edits the selected message if it is the user's; otherwise it opens the chosen note in the editor.
func (m *Model) editSelected() tea.Cmd {
	if u, ok := m.selection.Item().(*chat.User); ok {
		return m.findTurn(u, false)
	}
	if c, ok := m.selection.Chosen(); ok && m.o.Citing.Edit != nil {
		return m.editCited(c)
	}
	return m.flash("You can edit your own messages, and the notes an answer refers to", quitWindow)
}

// againSelected runs the turn of the selected item again.
func (m *Model) againSelected() tea.Cmd {
	it := m.selection.Item()
	if _, is := it.(*chat.User); !is {
		it = m.list.Next(it, -1, func(it list.Item) bool {
			switch it.(type) {
			case *chat.User, *chat.Earlier, *chat.Boundary:
				return true
			}
			return false
		})
	}
	if u, ok := it.(*chat.User); ok {
		return m.findTurn(u, true)
	}
	return m.flash("The message that led to this was not found", quitWindow)
}
