package tui

import (
	"fmt"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"chatvault/internal/session/cite"
	"chatvault/tui/chat"
	"chatvault/tui/find"
	"chatvault/tui/keys"
	"chatvault/tui/list"
	"chatvault/tui/selection"
)

// exploring is what goes on while the user moves about in the transcript.
type exploring struct {
	find    *find.Search
	pointer pointer
}

// findKey handles a key while words are looked for, and the one that begins it.
func (m *Model) findKey(k tea.KeyPressMsg) (handled bool, cmd tea.Cmd) {
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
		m.keys.Top, m.keys.Bottom, m.keys.Redraw, m.keys.Suspend, m.keys.Help, m.keys.Mouse):
		return false, nil
	}
	return true, m.find.Write(k)
}

// selectionKey handles the keys that move the selection, and those that mean something for what is
// selected. Any other key that writes or moves in the text leaves the selection and does what it
// does.
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
		m.keys.Top, m.keys.Bottom, m.keys.Redraw, m.keys.Suspend, m.keys.Help, m.keys.Proposal, m.keys.Palette, m.keys.Find, m.keys.Mouse):
		return false, nil
	}
	if handled, cmd := m.actOnSelected(k); handled {
		return true, cmd
	}
	m.selection.Leave()
	return false, nil
}

// actOnSelected handles the keys that mean something for the selected item.
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
		return true, m.copyCode(-1)
	case keys.Matches(k, on.Edit):
		return true, m.editSelected()
	case keys.Matches(k, on.Again):
		return true, m.againSelected()
	case keys.Matches(k, on.Open):
		if c, ok := s.Chosen(); ok && m.o.Citing.Open != nil {
			return true, m.openNote(c)
		}
		return true, m.flash(noReference, quitWindow)
	default:
		return m.codeByNumber(k)
	}
	return true, nil
}

// noReference is said where a note is asked for.
const noReference = "No note is mentioned here"

func (v *preview) chooseStep(n int) tea.Cmd {
	if !v.selection.ChooseStep(n) {
		return v.flash(noReference, quitWindow)
	}
	return nil
}

// enterSelected shows the note that is chosen; an item that refers to none is unfolded or folded.
func (m *Model) enterSelected() tea.Cmd {
	if c, ok := m.selection.Chosen(); ok && m.o.Citing.Preview != nil {
		return m.show(cite.WithLine(m.selection.Citations(), c))
	}
	if m.selection.Fold() {
		return nil
	}
	return m.flash(noReference, quitWindow)
}

// codeByNumber copies a block of code of the selected item by its number, where it has several.
func (m *Model) codeByNumber(k tea.KeyPressMsg) (handled bool, cmd tea.Cmd) {
	n, err := strconv.Atoi(keys.Name(k))
	if err != nil || n < 1 || n > 9 {
		return false, nil
	}
	switch all := len(m.selection.Code()); {
	case all < 2:
		return false, nil
	case n > all:
		return true, m.flash(fmt.Sprintf("There are %d code blocks here", all), quitWindow)
	}
	return true, m.copyCode(n - 1)
}

func (m *Model) copyCode(at int) tea.Cmd {
	code, at := m.selection.TakeCode(at)
	what := "the code"
	if n := len(m.selection.Code()); n > 1 {
		what = fmt.Sprintf("code block %d of %d", at+1, n)
	}
	return m.copyText(what+inLanguage(code), code.Text)
}

// editSelected edits the selected message of the user's; of anything else, the note it refers to.
func (m *Model) editSelected() tea.Cmd {
	if u, ok := m.selection.Item().(*chat.User); ok {
		return m.findTurn(u, false)
	}
	if c, ok := m.selection.Chosen(); ok && m.o.Citing.Edit != nil {
		return m.editCited(c)
	}
	return m.flash("You can edit your own messages, and the notes an answer refers to", quitWindow)
}

// againSelected tries the turn again that the selected item belongs to.
func (m *Model) againSelected() tea.Cmd {
	it := m.selection.Item()
	for it != nil {
		if u, ok := it.(*chat.User); ok {
			return m.findTurn(u, true)
		}
		it = m.list.Next(it, -1, func(it list.Item) bool {
			switch it.(type) {
			case *chat.User, *chat.Earlier, *chat.Boundary:
				return true
			}
			return false
		})
		if _, ok := it.(*chat.User); !ok {
			break
		}
	}
	return m.flash("The message that led to this was not found", quitWindow)
}

// canSelected is what can be done here with what is selected.
func (m *Model) canSelected() selection.Can {
	return selection.Can{Copy: m.o.Copying != nil, EditNote: m.o.Citing.Edit != nil, OpenNote: m.o.Citing.Open != nil, GoBack: m.o.Conversation != nil}
}
