package tui

import (
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"chatvault/tui/chat"
	"chatvault/tui/dialog"
	"chatvault/tui/keys"
	"chatvault/tui/list"
	"chatvault/tui/loop"
)

type (
	hintOverMsg struct{ id int }
	drawnMsg    struct{ done func() }
)

// Update acts on a message, and sees what is due after it.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	was := m.dirty
	m.dirty = true
	return m, tea.Batch(m.update(msg, was), m.after())
}

// update routes a message to the method that acts on it: every one there is, beside what a room does by
// itself, which comes as a loop.Do. due says that something was to be drawn before.
//
//nolint:gocyclo // one switch, so that what becomes of a message is found in one place
func (m *Model) update(msg tea.Msg, due bool) (cmd tea.Cmd) {
	switch msg := msg.(type) {
	// The terminal.
	case tea.WindowSizeMsg:
		cmd = m.resize(msg)
	case tea.KeyMsg:
		m.awaited = true
		cmd = m.key(msg)
	case tea.MouseMsg:
		cmd = m.mouseEvent(msg)
	case tea.ResumeMsg:
		cmd = m.resumed()
	case suspendedMsg:
		cmd = tea.Suspend
	case tea.FocusMsg:
		m.dirty = due
		m.focused(true)
	case tea.BlurMsg:
		m.dirty = due
		m.focused(false)

	// What was done beside the loop, and what a dialog resulted in.
	case loop.Do:
		cmd = msg()
	case loop.Now:
		cmd = msg()
	case drawnMsg:
		m.redraw(msg.done)
	case hintMsg:
		cmd = m.flash(msg.text, 3*quitWindow)
	case failureMsg:
		m.say(chat.NewError(m.env, msg.text))
	case paletteMsg:
		cmd = m.runPicked(msg.name)
	case repliedMsg:
		cmd = m.reply(msg.Reply, msg.typed)
	case pressMsg:
		cmd = m.press(msg.key)
	case customMsg:
		cmd = m.customFound(msg)

	// The agent, what is sent to it, and what it asked.
	case eventsMsg:
		cmd = m.events(msg)
	case submittedMsg:
		cmd = m.submitted(msg)
	case tookBackMsg:
		cmd = m.tookBack(msg)
	case answer:
		cmd = m.answer(msg)
	case dialog.Noted:
		cmd = m.answerWith(msg)
	case dialog.Picked:
		cmd = m.answerPicked(msg)
	case copiedMsg:
		cmd = m.copied(msg)

	// The conversation, and who else is at work.
	case loadedMsg:
		if cmd = m.load(msg); m.held.loading {
			cmd = tea.Batch(cmd, m.replayKeys())
		}
	case newConversationMsg:
		m.newConversationBegan(msg)
	case userMessagesMsg:
		cmd = m.pickUserMessage(msg)
	case editMsg:
		m.edit(msg.said)
	case movedMsg:
		cmd = m.moved(msg)
	case pollExternalMsg:
		m.dirty = due
		cmd = m.checkExternal()
	case externalChangeMsg:
		cmd = m.externalChange(msg)
	case providerMsg:
		cmd = m.providerFound(msg)
	case routedMsg:
		cmd = m.routed(msg)
	case vaultsMsg:
		cmd = m.showVaults(msg)
	case openVaultMsg:
		cmd = m.openVault(msg.vault)
	case vaultOpenedMsg:
		cmd = m.vaultOpened(msg)

	// What is due after a while.
	case tickMsg:
		m.ticked(due)
	case agedMsg:
		m.aged(msg)
	case hintOverMsg:
		if msg.id == m.hintID {
			m.hint = ""
		}
	case notifyMsg:
		m.dirty = due
		m.notify(msg)
	case draftMsg:
		cmd = m.saveDraft()
	case leaveMsg:
		cmd = m.leave()
	case quitNowMsg:
		cmd = m.quit()
	default:
		m.dirty = due
	}
	return cmd
}

// after is what may be due after any message: the spinner's next step, a long
// item's drawing, the window's title, the draft.
func (m *Model) after() tea.Cmd {
	var cmds []tea.Cmd
	m.takeModel()
	m.dialogs.Follow(!m.composer.Empty(), m.now())
	if m.busy() {
		cmds = append(cmds, m.turnSpinner())
	}
	if m.width > 0 {
		draw := func(it list.Item) {
			w, ok := it.(chat.Worker)
			if !ok {
				return
			}
			if job := w.Job(); job != nil {
				cmds = append(cmds, func() tea.Msg { return drawnMsg{job()} })
			}
		}
		m.list.Visible(draw)
		if m.printed.Active() {
			if it := m.printed.Next(); it != nil {
				draw(it) // a long one, before it is printed
			}
		}
		if l := m.reading(); l != nil {
			m.show() // gives it its size
			l.Visible(draw)
		}
		cmds = append(cmds, m.pageDue())
		m.selection.Keep()
		look, failed := m.find.Due(m.turn.running)
		if cmds = append(cmds, look); failed {
			cmds = append(cmds, m.flash("Earlier messages could not be read, so that nothing was looked for in them", 2*quitWindow))
		}
		m.completion.Keep(!m.dialogs.Empty())
		cmds = append(cmds, m.attaching.Look())
		cmds = append(cmds, m.cite(), m.age(m.list))
	}
	cmds = append(cmds, m.signal())
	if cmd := m.draftDue(); cmd != nil {
		cmds = append(cmds, cmd)
	}
	return tea.Batch(cmds...)
}

func (m *Model) resize(msg tea.WindowSizeMsg) tea.Cmd {
	m.width, m.height = max(msg.Width, 1), max(msg.Height, 1)
	m.arrange()
	if m.talk.loading {
		return nil
	}
	m.talk.loading = true
	return tea.Batch(m.startLoading(), m.lookForCustom(typedText{}))
}

func (m *Model) key(k tea.KeyMsg) tea.Cmd {
	if held, cmd := m.holdKey(k); held {
		return cmd
	}
	if taken, cmd := m.dialogKey(k); taken {
		return cmd
	}
	if !keys.Matches(k, m.keys.Clear, m.keys.QuitEmpty, m.keys.Stop) || keys.Name(k) != m.asked.key {
		m.asked, m.hint = asked{}, "" // not twice in a row; the hint was read
	}
	if handled, cmd := m.findKey(k); handled {
		return cmd
	}
	if m.writingKey(k) {
		return nil
	}
	if handled, cmd := m.selectionKey(k); handled {
		return cmd
	}
	if k.Paste {
		return m.paste(k)
	}
	if handled, cmd := m.actionKey(k); handled {
		return cmd
	}
	if m.scrollKey(k) {
		m.scrolled(keys.Matches(k, m.keys.Top))
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

// actionKey handles the keys that do the same whatever is written.
func (m *Model) actionKey(k tea.KeyMsg) (handled bool, cmd tea.Cmd) {
	switch {
	case keys.Matches(k, m.keys.Stop):
		return true, m.esc(k)
	case keys.Matches(k, m.keys.EditLast):
		return true, m.editLast()
	case keys.Matches(k, m.keys.Clear):
		return true, m.ctrlC(k)
	case keys.Matches(k, m.keys.Send):
		return true, m.send(false)
	case keys.Matches(k, m.keys.Hold) && m.busy() && !m.composer.Empty():
		return true, m.send(true)
	case keys.Matches(k, m.keys.Details):
		m.toggleDetails()
		return true, nil
	case keys.Matches(k, m.keys.Proposal):
		return true, m.openProposal()
	case keys.Matches(k, m.keys.Model):
		return true, m.openModels()
	case keys.Matches(k, m.keys.Redraw):
		m.redrawAll()
		return true, nil
	case keys.Matches(k, m.keys.Suspend):
		return true, m.suspend()
	case keys.Matches(k, m.keys.Editor):
		return true, m.editDraft()
	case keys.Matches(k, m.keys.Help):
		return true, m.openHelp()
	case keys.Matches(k, m.keys.Palette):
		return true, m.openPalette()
	case keys.Matches(k, m.keys.Mouse):
		return true, m.switchMouse()
	}
	return false, nil
}

// scrollKey handles the keys that scroll whatever is written, and End at the end
// of the text.
func (m *Model) scrollKey(k tea.KeyMsg) bool {
	switch {
	case keys.Matches(k, m.keys.PageUp):
		m.list.ScrollUp(m.list.Page())
	case keys.Matches(k, m.keys.PageDown):
		m.list.ScrollDown(m.list.Page())
	case keys.Matches(k, m.keys.LineUp):
		m.list.ScrollUp(1)
	case keys.Matches(k, m.keys.LineDown):
		m.list.ScrollDown(1)
	case keys.Matches(k, m.keys.Top):
		m.list.Home()
	case keys.Matches(k, m.keys.Bottom):
		m.list.End()
	case keys.Matches(k, m.keys.BottomWhenEmpty) && !m.list.Following() && m.composer.AtEnd():
		m.list.End()
	default:
		return false
	}
	return true
}

// keyWhenEmpty handles the keys that mean something else while nothing is written.
func (m *Model) keyWhenEmpty(k tea.KeyMsg) (handled bool, cmd tea.Cmd) {
	switch {
	case m.pickKey(k):
		return true, nil
	case keys.Matches(k, m.keys.QuitEmpty):
		if !m.busy() {
			return true, m.leave()
		}
		return true, m.askToQuit(k)
	case keys.Matches(k, m.keys.HelpWhenEmpty):
		return true, m.openHelp()
	case keys.Matches(k, m.keys.TopWhenEmpty):
		m.list.Home()
		m.scrolled(true)
		return true, nil
	case keys.Matches(k, m.keys.BottomWhenEmpty):
		m.list.End()
		return true, nil
	case keys.Matches(k, m.keys.Example):
		m.putExample()
		return true, nil
	case keys.Matches(k, m.keys.TakeBack):
		if last := m.lastQueued(); last != nil {
			return true, m.takeBack(last)
		}
	}
	return false, nil
}

func (m *Model) putExample() {
	if text := m.welcome.Example(); text != "" {
		m.composer.SetValue(text)
	}
}

func (m *Model) esc(k tea.KeyMsg) tea.Cmd {
	switch escape(escState{
		dialog: !m.dialogs.Empty(), takesKeys: m.dialogs.Takes(m.now()), finding: m.find.Active(), selecting: m.selection.Active(), completing: m.completion.Active(), recalling: m.composer.Searching(), running: m.busy(), stopping: m.turn.stopping,
		editing: m.editing != nil, written: !m.composer.Empty(),
	}) {
	case escCloseDialog:
		if result := m.dialogs.Key(tea.KeyMsg{Type: tea.KeyEsc}).Result; result != nil {
			return func() tea.Msg { return result }
		}
	case escCloseFind:
		m.find.Close()
	case escCloseCompletion:
		m.completion.Shut()
	case escLeaveRecall:
		m.composer.LeaveSearch()
	case escLeaveSelection:
		m.selection.Leave()
	case escStop:
		return m.stopTurn()
	case escLeaveEdit:
		return m.leaveEditing()
	case escAgain:
		return m.askToEdit(k)
	}
	return nil
}

// ctrlC clears what is written and quits when it comes twice; where a dialog is open, the second
// is for that.
func (m *Model) ctrlC(k tea.KeyMsg) tea.Cmd {
	var keep tea.Cmd
	if m.editing != nil {
		keep = m.leaveEditing()
	} else {
		keep = m.remember(m.composer.Value())
		below := !m.composer.Empty() && !m.dialogs.Empty()
		m.composer.Clear()
		if below {
			return tea.Batch(keep, m.flash("Press "+keys.Show(keys.Name(k))+" again to "+m.closing(), quitWindow))
		}
	}
	return tea.Batch(keep, m.askToQuit(k))
}

// closing is what closing the open dialog comes to.
func (m *Model) closing() string {
	if m.asking() {
		return "deny this"
	}
	return "close this"
}

// asked is a key that quits when it is pressed again.
type asked struct {
	key string
	at  time.Time
}

// askToQuit quits when the key was pressed just before, else says that it will.
func (m *Model) askToQuit(k tea.KeyMsg) tea.Cmd {
	since := time.Duration(-1)
	if m.asked.key == keys.Name(k) {
		since = m.now().Sub(m.asked.at)
	}
	switch quitting(since, m.leaving) {
	case quitForce:
		return m.quit()
	case quitLeave:
		return m.leave()
	}
	m.asked = asked{keys.Name(k), m.now()}
	hint := "Press " + keys.Show(keys.Name(k)) + " again to quit"
	if m.busy() {
		hint += ". A turn is running: its message is kept, and offered at the next start"
	}
	return m.flash(hint, quitWindow)
}

// pass shows a passing word in the status line.
func (m *Model) flash(hint string, d time.Duration) tea.Cmd {
	m.hintID++
	m.hint = hint
	id := m.hintID
	return m.tick(d, func(time.Time) tea.Msg { return hintOverMsg{id} })
}

// say adds an item to the transcript.
func (m *Model) say(it list.Item) {
	m.date(it)
	chat.Together(m.list.Last(), it)
	m.list.Append(it)
}
