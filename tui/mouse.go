package tui

import (
	tea "charm.land/bubbletea/v2"

	"chatvault/tui/chat"
	"chatvault/tui/keys"
	"chatvault/tui/list"
	"chatvault/tui/selection"
)

// pointer handles the mouse.
type pointer struct {
	*shared
	talk    *talk
	preview *preview

	dragged bool // the mouse moved after the last press
}

// mouseEvent scrolls or handles a click: a press and a release at the same cell. Dragging has no effect; to select
// text, the user hands the mouse to the terminal.
func (p *pointer) mouseEvent(msg tea.MouseMsg) tea.Cmd {
	at := msg.Mouse()
	switch msg.(type) {
	case tea.MouseWheelMsg:
		p.wheel(at.Button)
	case tea.MouseClickMsg:
		p.dragged = at.Button != tea.MouseLeft
	case tea.MouseMotionMsg:
		p.dragged = true
	case tea.MouseReleaseMsg:
		if !p.dragged {
			return p.click(at.X, at.Y)
		}
	}
	return nil
}

// click handles a click at a cell of the screen.
func (p *pointer) click(x, y int) tea.Cmd {
	if !p.dialogs.Empty() {
		return nil
	}
	l := p.lay
	row, cell := y-l.Header, x-l.Margin
	switch {
	case row >= 0 && row < l.Transcript:
		it, line := p.list.At(row)
		return p.clickItem(it, line, cell)
	case y >= l.Header+l.Transcript && p.selection.Active(): // back to the composer
		p.selection.Leave()
	}
	return nil
}

// clickItem opens the citation at a cell, loads earlier messages, unfolds a tool call, or selects the item. A
// selected item is unfolded.
func (p *pointer) clickItem(it list.Item, line, cell int) tea.Cmd {
	if it == nil {
		if p.selection.Active() {
			p.selection.Leave()
		}
		return nil
	}
	if cited, ok := it.(chat.Cited); ok && p.o.Citing.Preview != nil {
		if c, there := cited.CitationAt(p.list.Width(), line, cell); there {
			p.selection.ChooseIn(it, c.Number)
			return p.preview.show(c)
		}
	}
	if _, is := it.(*chat.Earlier); is {
		return p.talk.read(it, nil)
	}
	_, own := it.(*chat.User) // its first line is its text
	switch {
	case selection.Foldable(it) && (line == 0 && !own || it == p.selection.Item()):
		p.selection.Flip(it)
	case chat.Selectable(it):
		p.selection.Select(it)
	}
	return nil
}

// switchMouse hands the mouse to the terminal or takes it back.
func (p *pointer) switchMouse() tea.Cmd {
	p.o.Mouse = !p.o.Mouse
	key := keys.First(p.keys.Mouse, "")
	said := "The terminal has the mouse: dragging selects text · " + key + " takes it back"
	if p.o.Mouse {
		said = "The mouse scrolls and clicks here · " + key + " gives it to the terminal, to select text"
	}
	return p.flash(said, 2*quitWindow)
}
