package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"chatvault/agent/event"
	"chatvault/internal/routine"
	"chatvault/internal/session"
	"chatvault/tui/chat"
	"chatvault/tui/list"
	"chatvault/tui/status"
)

// eventsMsg is what the processor did.
type eventsMsg struct {
	events []event.Event
	err    error
}

// nextEvents waits for events after a pause.
func (m *Model) nextEvents(pause time.Duration) tea.Cmd {
	ctx, events := m.ctx, m.o.Events
	return func() tea.Msg {
		if pause > 0 {
			routine.Sleep(ctx, pause)
		}
		got, err := events.Next(ctx)
		return eventsMsg{got, err}
	}
}

// busy says that a turn runs or is about to, that a summary is being made, or that the
// conversation goes back.
func (m *Model) busy() bool {
	return m.state.Turn.Running || m.checkingGoal() || m.state.Compacting || m.moving.running || len(m.outbox) > 0 && !m.leaving || m.leaving
}

// stoppable says that something goes on which Esc stops: a review, too, which keeps nobody from anything.
func (m *Model) stoppable() bool { return m.busy() || m.state.Reviewing }

func (m *Model) events(msg eventsMsg) tea.Cmd {
	var cmds []tea.Cmd
	deltas := true
	for _, e := range msg.events {
		deltas = deltas && delta(e)
		cmds = append(cmds, m.event(e))
	}
	if msg.err != nil {
		if m.ctx.Err() == nil && !m.leaving {
			m.say(chat.NewError(m.env, "The agent has ended: "+msg.err.Error()+"\nLeave with Ctrl+C twice and start chatvault again; what you sent is kept."))
			m.turn, m.state.Turn = turn{shared: m.shared}, session.Turn{}
		}
		return tea.Batch(cmds...)
	}
	pause := time.Duration(0)
	if deltas {
		pause = m.pace.next(m.now())
		if now := m.now(); now.Sub(m.spinner.at) >= spin {
			m.spinner.at, m.spinner.streamed = now, true
			m.env.Frame++
		}
	}
	return tea.Batch(append(cmds, m.nextEvents(pause))...)
}

func delta(e event.Event) bool {
	switch e.(type) {
	case event.PromptRead, event.TextDelta, event.ReasoningDelta, event.ToolCallDelta, event.RetrospectionDelta:
		return true
	}
	return false
}

// attached shows which pictures and documents go with a message.
func (m *Model) attached(e event.Attached) {
	m.list.Each(func(it list.Item) {
		if u, ok := it.(*chat.User); ok && u.ID() == e.MessageID {
			u.Shows(session.MediaLines(e.Media))
		}
	})
}

func (m *Model) turnStarted(e event.TurnStarted) tea.Cmd {
	stop := m.turn.stopping
	m.turn = turn{shared: m.shared, began: m.now(), folds: m.takesMore(e.MessageIDs)}
	m.ended, m.stoppedMessage = status.End{}, stoppedMessage{}
	m.shown(e.MessageIDs)
	m.turn.answers = m.openQuestion
	if m.since(e.MessageIDs, m.askedAt) {
		m.closeQuestion()
	}
	m.goal.seen = m.state.Goal.Status == event.GoalMet
	if stop {
		return m.stopTurn()
	}
	return nil
}

// maxTasks is how many lines the pinned task list takes.
const maxTasks = 6

// taskLimit is how many lines of the task list a screen of the given height has room for: none
// on a tiny one.
func taskLimit(height int) int {
	switch {
	case height < 12:
		return 0
	case height < 20:
		return maxTasks / 2
	}
	return maxTasks
}

func (m *Model) agentSaid(e event.AgentMessage) {
	item := chat.NewMessage(m.env, e.Content, e.IsQuestion)
	m.turn.said = item
	m.say(item)
	if e.IsQuestion {
		m.ask(item, e.Options, e.Time)
	}
}

// taskLines is the list while its turn runs.
func (m *Model) taskLines(width int) []string {
	if limit := taskLimit(m.height); limit > 0 {
		return chat.TaskLines(m.env, m.turn.tasks, width, limit, true)
	}
	return nil
}

func (m *Model) turnFinished(e event.TurnFinished) tea.Cmd {
	m.turn.endText()
	if e.ConversationID != "" {
		m.talk.id = e.ConversationID
		if o, ok := m.turn.opening.(interface{ Opens(turn string) }); ok {
			o.Opens(e.MessageID)
		}
	}
	if !m.state.Turn.Spoke && e.Response != "" {
		m.turn.write(e.Response)
	}
	m.turn.end(func(t *chat.Tool) {
		if t.State() == chat.ToolWriting { // the turn ended without it
			t.Withdraw()
		}
	})
	m.repeatQuestion(m.turn.answers.question)
	return m.turnOver(e)
}

func (m *Model) turnStopped(e event.TurnStopped) tea.Cmd {
	m.turn.end((*chat.Tool).Stop)
	next := "↑ brings the message back"
	if len(e.MessageIDs) > 1 {
		next = "↑ brings the messages back"
	}
	if n := len(m.waiting()); n > 0 {
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
	m.turn.end((*chat.Tool).Stop)
	text := e.Text
	if text == "" {
		text = "The turn failed (" + string(e.Code) + ")."
	}
	if len(e.MessageIDs) > 0 && m.views.unfinished.Inbox != nil {
		text += "\n/retry tries your message again."
	}
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
	m.turn = turn{shared: m.shared}
	m.state.Apply(e)
	if !m.selection.Active() && !m.find.Active() {
		m.talk.pages.Unload()
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
	return func() tea.Msg { return runMsg("approval") }
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
	if !m.state.Turn.Running {
		m.turn.stopping = false
	}
}
