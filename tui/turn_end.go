package tui

import (
	"time"

	"chatvault/agent/event"
	"chatvault/tui/chat"
	"chatvault/tui/status"

	tea "github.com/charmbracelet/bubbletea"
)

func (m *Model) turnFinished(e event.TurnFinished) tea.Cmd {
	m.endText()
	if e.ConversationID != "" {
		m.talk.id = e.ConversationID
		if o, ok := m.turn.opening.(interface{ Opens(turn string) }); ok {
			o.Opens(e.MessageID)
		}
	}
	if !m.state.Turn.Spoke && e.Response != "" {
		m.wrote(e.Response)
		m.endText()
	}
	for _, t := range m.turn.tools {
		if t.State() == chat.ToolWriting { // the turn ended without it
			t.Withdraw()
		}
	}
	m.unpin()
	m.repeatQuestion()
	return m.turnOver(e)
}

func (m *Model) turnStopped(e event.TurnStopped) tea.Cmd {
	m.endText()
	for _, t := range m.turn.tools {
		t.Stop()
	}
	m.unpin()
	next := "↑ brings the message back"
	if len(e.MessageIDs) > 1 {
		next = "↑ brings the messages back"
	}
	if n := m.queued(); n > 0 {
		next = "continuing with " + status.QueuedMessages(n)
	}
	if m.towardGoal(e.MessageIDs) {
		next = "/goal resume continues"
	}
	m.reopenQuestion(m.turn.answers)
	away := !m.list.Following()
	back := ""
	if m.o.Changes != nil {
		back = "/undo reverts it"
	}
	mark := chat.NewStopped(m.env, next, e.Changed, back)
	m.say(mark)
	m.noteStopped(e.MessageIDs, mark)
	if away { // the line that says so is out of sight
		return tea.Batch(m.turnOver(e), m.flash("Stopped · "+next, 3*quitWindow))
	}
	return m.turnOver(e)
}

func (m *Model) turnFailed(e event.TurnFailed) tea.Cmd {
	m.endText()
	for _, t := range m.turn.tools {
		t.Stop()
	}
	text := e.Text
	if text == "" {
		text = "The turn failed (" + string(e.Code) + ")."
	}
	if len(e.MessageIDs) > 0 && m.views.unfinished.Can() {
		text += "\n/retry tries your message again."
	}
	m.unpin()
	m.reopenQuestion(m.turn.answers)
	m.say(chat.NewError(m.env, text))
	return m.turnOver(e)
}

// turnOver is after a turn ended, however it did.
func (m *Model) turnOver(e event.Event) tea.Cmd {
	for _, id := range m.state.Turn.Messages {
		delete(m.received, id)
	}
	m.ended = status.End{State: m.state.Turn.State, Took: m.now().Sub(m.turn.began)}
	switch e.(type) {
	case event.TurnFinished:
		m.ended.State = event.StateCompleted
	case event.TurnFailed:
		m.ended.State = event.StateError
	}
	m.turn = turn{}
	m.state.Apply(e)
	if !m.selection.Active() && !m.find.Active() {
		m.pages.Unload()
	}
	m.requests.Withdraw()
	m.env.Citations.Invalidate()
	return nil
}

// stopTurn stops the running turn, or the one that is about to start.
func (m *Model) stopTurn() tea.Cmd {
	if !m.stoppable() {
		return m.flash("Nothing is running", quitWindow)
	}
	m.turn.stopping = m.busy() // a review alone is stopped for itself
	m.requests.Withdraw()
	p := m.o.Processor
	return func() tea.Msg {
		p.Stop()
		return nil
	}
}

// nextApproval goes on to the next mode of what waits for the user.
func (m *Model) nextApproval() tea.Cmd {
	if c := m.commandNamed("approval"); c != nil {
		return m.run(c, "", typedText{})
	}
	return nil
}

// compacting is a summary of earlier messages that is being made.
type compacting struct {
	running bool
	began   time.Time
}

func (m *Model) compactFailed(e event.CompactFailed) {
	m.compactOver()
	switch {
	case e.TurnID != "": // its last event tells
	case e.Text == "":
		m.say(chat.NewNotice(m.env, "Stopped. Nothing was summarised."))
	default:
		m.say(chat.NewError(m.env, e.Text))
	}
}

// compactOver is after the summary, however it ended. A stop that was meant for it stops no turn.
func (m *Model) compactOver() {
	m.talk.compacting = compacting{}
	if !m.state.Turn.Running {
		m.turn.stopping = false
	}
}
