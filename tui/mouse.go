package tui

import (
	tea "charm.land/bubbletea/v2"

	"chatvault/internal/session/cite"
	"chatvault/tui/chat"
	"chatvault/tui/keys"
	"chatvault/tui/list"
	"chatvault/tui/selection"
)

// pointer is what the mouse does.
type pointer struct {
	down bool // the button is down where it went down
	x, y int  // that was
	told bool // that dragging selects nothing
}

// mouseEvent scrolls, or does what a click means: a press and a release in one place. Dragging does
// nothing: text is selected by the terminal, when the mouse is given to it.
func (m *Model) mouseEvent(msg tea.MouseMsg) tea.Cmd {
	p, at := &m.pointer, msg.Mouse()
	switch msg.(type) {
	case tea.MouseWheelMsg:
		m.wheel(at.Button)
	case tea.MouseClickMsg:
		if at.Button == tea.MouseLeft {
			p.down, p.x, p.y = true, at.X, at.Y
		}
	case tea.MouseMotionMsg:
		if !p.down || at.X == p.x && at.Y == p.y {
			return nil
		}
		p.down = false
		if !p.told && m.dialogs.Empty() {
			p.told = true
			return m.flash(keys.First(m.keys.Mouse, "")+" gives the mouse to the terminal, so that dragging selects text (so does Shift, in most)", 3*quitWindow)
		}
	case tea.MouseReleaseMsg:
		if p.down && at.X == p.x && at.Y == p.y {
			p.down = false
			return m.click(at.X, at.Y)
		}
		p.down = false
	}
	return nil
}

// click does what a click at a cell of the screen means.
func (m *Model) click(x, y int) tea.Cmd {
	if !m.dialogs.Empty() {
		return nil
	}
	l := m.lay
	row, cell := y-l.Header, x-l.Margin
	switch {
	case row >= 0 && row < l.Transcript:
		it, line := m.list.At(row)
		return m.clickItem(it, line, cell)
	case l.Rule > 0 && y == l.Header+l.Transcript+l.Gap+l.Tasks+l.Queue:
		if _, more := m.list.Below(); more {
			m.list.End()
		}
	case y >= l.Header+l.Transcript && m.selection.Active(): // back to writing
		m.selection.Leave()
	case row >= l.Transcript && !m.find.Active():
		if row, in := m.composerRow(y); in {
			m.composer.Click(row, cell)
			m.completion.Close()
		}
	}
	return nil
}

// composerRow is the row of the composer that is at a line of the screen, if one is.
func (m *Model) composerRow(y int) (row int, in bool) {
	l := m.lay
	rows := len(m.composer.Lines())
	row = y - (l.Header + l.Transcript + l.Gap + l.Tasks + l.Queue + l.Rule) - (len(m.inputLines(l.Width)) - rows)
	return row, row >= 0 && row < rows && y < m.height-l.Status
}

// clickItem follows the citation at a cell of an item, reads what is missing, unfolds a line of what
// was done, or selects the item; what is selected already it unfolds.
func (m *Model) clickItem(it list.Item, line, cell int) tea.Cmd {
	if it == nil {
		if m.selection.Active() {
			m.selection.Leave()
		}
		return nil
	}
	if p, ok := it.(chat.Cited); ok && m.o.Citing.Preview != nil {
		if c, there := p.CitationAt(m.list.Width(), line, cell); there {
			m.selection.ChooseIn(it, c.Number)
			return m.show(cite.WithLine(p.Citations(m.list.Width()), c))
		}
	}
	switch it.(type) {
	case *chat.Earlier:
		cmd, _ := m.talk.pages.Read(it)
		return cmd
	case *chat.Tool, *chat.Reasoning, *chat.Compaction, *chat.Boundary, *chat.Continued:
		if selection.Foldable(it) && (line == 0 || it == m.selection.Item()) {
			m.selection.Flip(it)
			return nil
		}
	}
	switch {
	case !chat.Selectable(it):
	case it == m.selection.Item() && selection.Foldable(it):
		m.selection.Flip(it)
	default:
		m.selection.Select(it)
	}
	return nil
}

// switchMouse gives the mouse to the terminal, or takes it back.
func (m *Model) switchMouse() tea.Cmd {
	m.o.Mouse, m.pointer.down = !m.o.Mouse, false
	key := keys.First(m.keys.Mouse, "")
	said := "The mouse is the terminal's: dragging selects text · " + key + " takes it back"
	if m.o.Mouse {
		said = "The mouse scrolls and clicks here · " + key + " gives it to the terminal, to select text"
	}
	return m.flash(said, 2*quitWindow)
}
