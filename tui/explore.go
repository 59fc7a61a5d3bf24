package tui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"chatvault/internal/app/session/cite"
	"chatvault/tui/chat"
	"chatvault/tui/keys"
	"chatvault/tui/list"
	"chatvault/tui/selection"
)

// findKey handles a key while find is open, and the key that opens it.
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

// selecting handles actions on the selected item.
type selecting struct {
	*shared
	preview  *preview
	copier   *copier
	revising *revising
}

// selectionKey handles the keys that move the selection or act on it. Any other key that writes or moves in the text
// clears the selection and keeps its own effect.
func (x *selecting) selectionKey(k tea.KeyPressMsg) (handled bool, cmd tea.Cmd) {
	switch {
	case keys.Matches(k, x.keys.SelectUp):
		x.selection.Step(-1)
		return true, nil
	case keys.Matches(k, x.keys.SelectDown):
		x.selection.Step(1)
		return true, nil
	case !x.selection.Active() && keys.Matches(k, x.keys.Cited):
		if !x.selection.ChooseLast() {
			return true, x.flash("No answer here refers to a note", quitWindow)
		}
		return true, nil
	case !x.selection.Active(), keys.Matches(k, x.keys.Stop, x.keys.Details, x.keys.PageUp, x.keys.PageDown, x.keys.LineUp, x.keys.LineDown,
		x.keys.Top, x.keys.Bottom, x.keys.Redraw, x.keys.Suspend, x.keys.Help, x.keys.Palette, x.keys.Find, x.keys.Mouse):
		return false, nil
	}
	if handled, cmd := x.actOnSelected(k); handled {
		return true, cmd
	}
	x.selection.Leave()
	return false, nil
}

// actOnSelected handles the keys that act on the selected item.
func (x *selecting) actOnSelected(k tea.KeyPressMsg) (handled bool, cmd tea.Cmd) {
	s, on := x.selection, &x.keys.Selected
	switch {
	case keys.Matches(k, on.Before):
		s.Step(-1)
	case keys.Matches(k, on.After):
		s.Step(1)
	case keys.Matches(k, on.NextNote):
		return true, x.preview.chooseStep(1)
	case keys.Matches(k, on.NoteBefore):
		return true, x.preview.chooseStep(-1)
	case keys.Matches(k, on.Note):
		return true, x.enterSelected()
	case keys.Matches(k, on.Fold):
		if !s.Fold() {
			return true, x.flash("Nothing to unfold here", quitWindow)
		}
	case keys.Matches(k, on.Copy):
		text, called := s.Source()
		return true, x.copier.copyText(called, text)
	case keys.Matches(k, on.CopyCode):
		if len(s.Code()) == 0 {
			return true, x.flash("No code block here", quitWindow)
		}
		return true, x.copyCode()
	case keys.Matches(k, on.Edit):
		return true, x.editSelected()
	case keys.Matches(k, on.Again):
		return true, x.againSelected()
	case keys.Matches(k, on.Open):
		if c, ok := s.Chosen(); ok && x.o.Citing.Open != nil {
			return true, x.preview.openNote(c)
		}
		return true, x.flash(noReference, quitWindow)
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
func (x *selecting) enterSelected() tea.Cmd {
	if c, ok := x.selection.Chosen(); ok && x.o.Citing.Preview != nil {
		return x.preview.show(cite.WithLine(x.selection.Citations(), c))
	}
	if x.selection.Fold() {
		return nil
	}
	return x.flash(noReference, quitWindow)
}

func (x *selecting) copyCode() tea.Cmd {
	code, at := x.selection.TakeCode()
	what := "the code"
	if n := len(x.selection.Code()); n > 1 {
		what = fmt.Sprintf("code block %d of %d", at+1, n)
	}
	return x.copier.copyText(what+inLanguage(code), code.Text)
}

// editSelected edits the selected message if it is the user's; otherwise it opens the chosen note in the editor.
func (x *selecting) editSelected() tea.Cmd {
	if u, ok := x.selection.Item().(*chat.User); ok {
		return x.revising.findTurn(u, false)
	}
	if c, ok := x.selection.Chosen(); ok && x.o.Citing.Edit != nil {
		return x.preview.editCited(c)
	}
	return x.flash("You can edit your own messages, and the notes an answer refers to", quitWindow)
}

// againSelected runs the turn of the selected item again.
func (x *selecting) againSelected() tea.Cmd {
	it := x.selection.Item()
	if _, is := it.(*chat.User); !is {
		it = x.list.Next(it, -1, func(it list.Item) bool {
			switch it.(type) {
			case *chat.User, *chat.Earlier, *chat.Boundary:
				return true
			}
			return false
		})
	}
	if u, ok := it.(*chat.User); ok {
		return x.revising.findTurn(u, true)
	}
	return x.flash("The message that led to this was not found", quitWindow)
}

// canSelected returns the actions available on selected items.
func (x *selecting) canSelected() selection.Can {
	return selection.Can{Copy: x.o.Copying != nil, EditNote: x.o.Citing.Edit != nil, OpenNote: x.o.Citing.Open != nil, GoBack: x.o.Conversation != nil}
}
