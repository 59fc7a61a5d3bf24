package tui

import (
	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"chatvault/tui/chat"
	"chatvault/tui/keys"
	"chatvault/tui/list"
)

// selection is the item of the transcript that is selected, and the citation in it that is chosen.
type selection struct {
	item list.Item // nil: none is
	cite int       // the citation's number; -1: none is
}

// selecting says whether an item is selected.
func (m *Model) selecting() bool { return m.selection.item != nil }

// selectItem selects an item, and brings it into sight.
func (m *Model) selectItem(it list.Item) {
	m.choose(-1)
	m.selection = selection{it, -1}
	m.list.Reveal(it, 0, len(it.Lines(m.list.Width())))
}

// selectStep selects the next item, the one before where n is negative; the first step selects the
// last item in sight.
func (m *Model) selectStep(n int) {
	if !m.selecting() {
		if it := m.lastInSight(); it != nil && n < 0 {
			m.selectItem(it)
		}
		return
	}
	next := m.list.Next(m.selection.item, n, chat.Selectable)
	switch {
	case next != nil:
		m.selectItem(next)
	case n > 0:
		m.leaveSelection()
		m.list.End()
	default:
		m.list.Home()
	}
}

// lastInSight is the last item in sight that can be selected.
func (m *Model) lastInSight() list.Item {
	if m.list.Following() {
		return m.list.Next(nil, -1, chat.Selectable)
	}
	var last list.Item
	m.list.Visible(func(it list.Item) {
		if chat.Selectable(it) && m.list.Has(it) {
			last = it
		}
	})
	return last
}

// leaveSelection selects nothing any more; what is in sight stays.
func (m *Model) leaveSelection() {
	m.choose(-1)
	m.selection = selection{}
	m.list.Follow()
}

// keepSelection lets go of an item that is there no longer.
func (m *Model) keepSelection() {
	if m.selecting() && !m.list.Has(m.selection.item) {
		m.leaveSelection()
	}
}

// cites are the citations of the selected item.
func (m *Model) cites() []Citation {
	if it, ok := m.selection.item.(chat.Cited); ok {
		return it.Citations(m.list.Width())
	}
	return nil
}

// chosen is the citation that is chosen, else the first of the selected item.
func (m *Model) chosen() (Citation, bool) {
	all := m.cites()
	for _, c := range all {
		if c.Number == m.selection.cite {
			return c, true
		}
	}
	if len(all) == 0 {
		return Citation{}, false
	}
	return all[0], true
}

// choose marks a citation of the selected item; -1: none.
func (m *Model) choose(number int) {
	it, ok := m.selection.item.(chat.Cited)
	if !ok {
		return
	}
	it.Choose(number)
	if m.selection.cite = number; number >= 0 {
		row := it.Row(m.list.Width(), number)
		m.list.Reveal(m.selection.item, row, row+1)
	}
}

// chooseStep goes on to the next citation of the selected item, to the one before where n is
// negative, round the ends.
func (m *Model) chooseStep(n int) tea.Cmd {
	all := m.cites()
	if len(all) == 0 {
		return m.pass("Nothing here refers to a note", quitWindow)
	}
	at := -1
	for i, c := range all {
		if c.Number == m.selection.cite {
			at = i
		}
	}
	if at < 0 && n < 0 {
		at = len(all)
	}
	m.choose(all[(at+n+len(all))%len(all)].Number)
	return nil
}

// maxBack is how many items are looked at for the last answer that cites something.
const maxBack = 100

// chooseLast chooses the first citation of the last answer that has one.
func (m *Model) chooseLast() tea.Cmd {
	it := m.list.Next(nil, -1, chat.Selectable)
	for n := 0; it != nil && n < maxBack; n++ {
		if c, ok := it.(chat.Cited); ok {
			if all := c.Citations(m.list.Width()); len(all) > 0 {
				m.selection = selection{it, -1}
				m.choose(all[0].Number)
				return nil
			}
		}
		it = m.list.Next(it, -1, chat.Selectable)
	}
	return m.pass("No answer here refers to a note", quitWindow)
}

// selectionKey handles the keys that move the selection, and those that mean something for what is
// selected. Any other key that writes or moves in the text leaves the selection and does what it
// does.
func (m *Model) selectionKey(k tea.KeyMsg) (handled bool, cmd tea.Cmd) {
	switch {
	case keys.Matches(k, m.keys.SelectUp):
		m.selectStep(-1)
		return true, nil
	case keys.Matches(k, m.keys.SelectDown):
		m.selectStep(1)
		return true, nil
	case !m.selecting() && keys.Matches(k, m.keys.Cited):
		return true, m.chooseLast()
	case !m.selecting(), keys.Matches(k, m.keys.Stop, m.keys.Details, m.keys.PageUp, m.keys.PageDown, m.keys.LineUp, m.keys.LineDown,
		m.keys.Top, m.keys.Bottom, m.keys.Redraw, m.keys.Suspend, m.keys.Help, m.keys.Proposal, m.keys.Palette, m.keys.Find, m.keys.Mouse):
		return false, nil
	}
	if handled, cmd := m.actOnSelected(k); handled {
		return true, cmd
	}
	m.leaveSelection()
	return false, nil
}

// focusMark stands beside the lines of the selected item.
const focusMark = "▐"

// focus puts the mark of the selected item beside its lines, where there is a margin for it; else
// in the place of their first cell.
func (m *Model) focus(lines []string) (from, to int) {
	if !m.selecting() || !m.dialogs.Empty() {
		return 0, 0
	}
	from, to = m.list.Place(m.selection.item)
	if m.lay.margin > 0 {
		return from, to
	}
	for i := from; i < min(to, len(lines)); i++ {
		lines[i] = m.styles.AccentBold.Render(focusMark) + ansi.TruncateLeft(lines[i], 1, "")
	}
	return 0, 0
}
