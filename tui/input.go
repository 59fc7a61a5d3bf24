package tui

import (
	"slices"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"chatvault/tui/dialog"
	"chatvault/tui/keys"
	"chatvault/tui/loop"
)

// key handles a key event.
func (m *Model) key(k tea.KeyPressMsg) tea.Cmd {
	if second, ok := keys.Escaped(k); ok && !m.distinctKeys && (m.composer.Mode() != "" || !m.keys.binds(keys.Name(k))) {
		return tea.Batch(m.key(keys.Press("esc")), m.key(second))
	}
	m.begun = false
	if taken, cmd := m.dialogKey(k); taken {
		return cmd
	}
	if !keys.Matches(k, m.keys.Clear, m.keys.QuitEmpty, m.keys.Stop) || keys.Name(k) != m.asked.key {
		m.asked, m.hint = doublePress{}, "" // resets double presses; the hint was read
	}
	if handled, cmd := m.findKey(k); handled {
		return cmd
	}
	if m.completion.Key(k) {
		m.markTyped()
		return nil
	}
	if handled, cmd := m.viKey(k); handled {
		return cmd
	}
	if handled, cmd := m.selectionKey(k); handled {
		return cmd
	}
	if keys.IsPaste(k) {
		return m.paste(k)
	}
	if handled, cmd := m.actionKey(k); handled {
		return cmd
	}
	if m.scrollKey(k) {
		return nil
	}
	if m.composer.Empty() {
		if handled, cmd := m.keyWhenEmpty(k); handled {
			return cmd
		}
	}
	m.composer.Key(k)
	m.markTyped()
	return m.completion.Suggest(k, !m.dialogs.Empty())
}

// actionKey handles the keys that are independent of the text.
func (m *Model) actionKey(k tea.KeyPressMsg) (handled bool, cmd tea.Cmd) {
	on := m.keys
	for _, a := range []struct {
		on key.Binding
		do func() tea.Cmd
	}{
		{on.Stop, m.esc},
		{on.Clear, func() tea.Cmd { return m.ctrlC(k) }},
		{on.Send, func() tea.Cmd { return m.send(false) }},
		{on.Details, func() tea.Cmd {
			m.redraw(func() { m.env.Details = !m.env.Details })
			return nil
		}},
		{on.Model, func() tea.Cmd { return m.chooseModel("") }},
		{on.Approval, m.nextApproval},
		{on.Redraw, func() tea.Cmd { return tea.ClearScreen }},
		{on.Suspend, m.suspend},
		{on.Editor, m.editDraft},
		{on.PastePicture, func() tea.Cmd { return m.pastePicture(true) }},
		{on.Help, m.openHelp},
		{on.Palette, m.openPalette},
		{on.Search, m.openHistory},
		{on.Mouse, m.pointer.switchMouse},
	} {
		if keys.Matches(k, a.on) {
			return true, a.do()
		}
	}
	if keys.Matches(k, on.Hold) && m.busy() && !m.composer.Empty() {
		return true, m.send(true)
	}
	return false, nil
}

// scrollKey handles the keys that scroll at any time, and End at the end of the text.
func (m *Model) scrollKey(k tea.KeyPressMsg) bool {
	on, page := m.keys, m.list.Page()
	for _, a := range []struct {
		on    key.Binding
		lines int
	}{{on.PageUp, -page}, {on.PageDown, page}, {on.LineUp, -1}, {on.LineDown, 1}} {
		if keys.Matches(k, a.on) {
			m.talk.scroll(a.lines)
			return true
		}
	}
	w, empty := m.keys.Writing, m.composer.Empty()
	switch {
	case keys.Matches(k, on.Top) && (empty || !keys.Matches(k, w.LineStart)):
		m.talk.home()
	case keys.Matches(k, on.Bottom) && (empty || !keys.Matches(k, w.LineEnd) || !m.list.Following() && m.composer.AtEnd()):
		m.list.End()
		m.talk.scrolled(false)
	default:
		return false
	}
	return true
}

// keyWhenEmpty handles the keys that have another meaning while the composer is empty.
func (m *Model) keyWhenEmpty(k tea.KeyPressMsg) (handled bool, cmd tea.Cmd) {
	switch {
	case m.pickKey(k):
		return true, nil
	case keys.Matches(k, m.keys.QuitEmpty):
		if !m.busy() {
			return true, m.quit()
		}
		return true, m.askToQuit(k)
	case keys.Matches(k, m.keys.HelpWhenEmpty):
		return true, m.openHelp()
	case keys.Matches(k, m.keys.Hold):
		if text := m.welcome.Example(); text != "" {
			m.composer.SetValue(text)
		}
		return true, nil
	case keys.Matches(k, m.keys.TakeBack):
		if last := m.lastQueued(); last != nil {
			return true, m.takeBack(last)
		}
	}
	return false, nil
}

func (m *Model) esc() tea.Cmd {
	switch escape(escState{
		dialog: !m.dialogs.Empty(), asks: m.deciding(), takesKeys: m.dialogs.Takes(m.now()), finding: m.find.Active(), selecting: m.selection.Active(), completing: m.completion.Active(), running: m.stoppable(), stopping: m.turn.stopping,
		editing: m.editing != nil, mode: m.composer.Escapes(), question: m.question != nil && m.o.Conversation != nil,
	}) {
	case escCloseDialog:
		if do, ok := m.dialogs.Key(keys.Press("esc"), m.now()).Result.(loop.Do); ok {
			return do()
		}
	case escCloseFind:
		m.find.Close()
	case escCloseCompletion:
		m.completion.Shut()
	case escLeaveSelection:
		m.selection.Leave()
	case escStop:
		if m.dialogs.Empty() {
			m.composer.Escape()
		}
		return m.stopTurn()
	case escLeaveMode:
		m.composer.Escape()
	case escLeaveEdit:
		return m.leaveEditing()
	case escLeaveQuestion:
		return m.leaveQuestion()
	}
	return nil
}

// ctrlC clears the text and quits on a double press. If a dialog is open, the second press applies to it.
func (m *Model) ctrlC(k tea.KeyPressMsg) tea.Cmd {
	var keep tea.Cmd
	if m.editing != nil {
		keep = m.leaveEditing()
	} else {
		keep = m.remember(m.composer.Value())
		m.composer.Clear()
		if !m.dialogs.Empty() {
			return keep
		}
	}
	return tea.Batch(keep, m.askToQuit(k))
}

// doublePress is a key that quits when pressed again.
type doublePress struct {
	key string
	at  time.Time
}

// twice records a key and reports whether it was also the previous one, within quitWindow.
func (m *Model) twice(k tea.KeyPressMsg) bool {
	was := m.asked
	m.asked = doublePress{keys.Name(k), m.now()}
	return was.key == m.asked.key && m.now().Sub(was.at) <= quitWindow
}

// askToQuit quits on a double press.
func (m *Model) askToQuit(k tea.KeyPressMsg) tea.Cmd {
	if m.twice(k) {
		return m.quit()
	}
	hint := "Press " + keys.Show(keys.Name(k)) + " again to quit"
	if m.busy() {
		hint += ". A turn is running: its message is kept, and offered at the next start"
	}
	return m.flash(hint, quitWindow)
}

// dialogKey passes a key to the open dialog. Text goes to the composer, unless the dialog has a field. A dialog that
// does not accept keys yet also accepts no text.
func (m *Model) dialogKey(k tea.KeyPressMsg) (taken bool, cmd tea.Cmd) {
	switch {
	case m.dialogs.Empty(), keys.Matches(k, m.keys.Redraw, m.keys.Suspend), m.reading() != nil && keys.Matches(k, m.keys.Details):
		return false, nil
	case m.deciding() && keys.Matches(k, m.keys.Stop): // works at any time
		return true, m.esc()
	case m.deciding() && keys.Matches(k, m.keys.Approval):
		return true, m.nextApproval()
	case !m.dialogs.Writes() && (keys.Matches(k, m.keys.Clear) && !m.composer.Empty() || keys.Matches(k, m.keys.QuitEmpty)):
		return false, nil // clears the text first; leaving is always possible
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
	stops := m.deciding() && keys.Matches(k, m.keys.Clear)
	out := m.dialogs.Key(k, m.now())
	if do, ok := out.Result.(loop.Do); ok {
		cmd = do()
	}
	if stops { // a double press quits here as well
		m.twice(k)
		cmd = tea.Batch(cmd, m.flash("Press "+keys.Show(keys.Name(k))+" again to quit", quitWindow))
	}
	return !out.Typed, cmd
}

// decides reports whether a key could decide a dialog. Pressed before the dialog accepts keys, it must not do
// anything else either, unless a text is being written.
func decides(k tea.KeyPressMsg) bool {
	return slices.Contains([]string{"enter", "tab", "shift+tab", "up", "down"}, keys.Name(k))
}

// deciding reports whether the innermost dialog is a request of the running turn.
func (m *Model) deciding() bool { return m.requests.asks() && m.dialogs.Top() == m.requests.dialog }

// stopShowing closes readers and the list behind them, so that the message just sent and the answer are visible.
func (m *Model) stopShowing() {
	if d := m.dialogs.Top(); m.lists.reader != nil && d == dialog.Dialog(m.lists.reader) {
		m.lists.close()
	} else if m.previews() {
		m.dialogs.Remove(m.dialog)
	}
}

// wheelLines is the number of lines per wheel step.
const wheelLines = 3

func (p *pointer) wheel(button tea.MouseButton) {
	n := map[tea.MouseButton]int{tea.MouseWheelUp: -wheelLines, tea.MouseWheelDown: wheelLines}[button]
	if d, ok := p.dialogs.Top().(dialog.Scroller); ok {
		d.Scroll(n)
		return
	}
	p.talk.scroll(n)
}

// escAction is the effect of Esc.
type escAction int

const (
	escNothing escAction = iota
	escCloseDialog
	escCloseFind // in the transcript
	escCloseCompletion
	escLeaveSelection
	escStop
	escLeaveMode     // insert mode, a selection or an incomplete command of vi
	escLeaveEdit     // keeps the earlier message unchanged
	escLeaveQuestion // leaves it unanswered
)

// escState holds the conditions that determine the effect of Esc.
type escState struct {
	dialog, takesKeys bool // a dialog is open; it accepts keys
	asks              bool // the dialog is a request of the running turn
	finding           bool // find is open
	completing        bool // completion is open
	selecting         bool // an item of the transcript is selected
	running, stopping bool // a turn, a goal check, a summary, a review or a move in the conversation
	mode              bool // vi inserts, selects or waits for more keys
	editing           bool // an earlier message is being edited
	question          bool // a question is open
}

// escape decides what Esc does, innermost first. In a request of the running turn it stops the turn, even if the
// dialog does not accept other keys yet. Another dialog that accepts keys closes before anything is stopped; one that
// does not accept keys yet cannot be the target, so Esc stops the running work instead. A selection is cleared before
// that, as the status line says. Editing is cancelled only while nothing runs, so that stopping a turn never requires
// it.
func escape(s escState) escAction {
	switch {
	case s.dialog && s.asks:
		if s.stopping { // only once
			return escNothing
		}
		return escStop
	case s.dialog && s.takesKeys:
		return escCloseDialog
	case s.finding && !s.dialog:
		return escCloseFind
	case s.completing && !s.dialog:
		return escCloseCompletion
	case s.selecting && !s.dialog:
		return escLeaveSelection
	case s.running && !s.stopping:
		return escStop
	case s.mode && !s.dialog:
		return escLeaveMode
	case s.dialog && !s.running:
		return escCloseDialog
	case s.dialog || s.running || s.stopping:
		return escNothing
	case s.editing:
		return escLeaveEdit
	case s.question:
		return escLeaveQuestion
	}
	return escNothing
}

// quitWindow is the maximum time between the two presses of a key that quits.
const quitWindow = 2 * time.Second
