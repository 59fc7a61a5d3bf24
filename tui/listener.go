package tui

import (
	"cmp"
	"time"

	tea "charm.land/bubbletea/v2"

	"chatvault/agent/event"
	"chatvault/internal/app/session"
	"chatvault/internal/base/routine"
	"chatvault/tui/chat"
	"chatvault/tui/list"
)

// eventsMsg holds events from the processor.
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

// underWay reports whether a turn is running or starting, a summary is being made, or the conversation is moving.
func (s *sending) underWay() bool {
	return s.state.Turn.Running || s.checkingGoal() || s.state.Compacting || s.moving.running || len(s.outbox) > 0
}

// stoppable reports whether Esc would stop something. This includes a review, which does not block the user.
func (s *sending) stoppable() bool { return s.busy() || s.state.Reviewing }

func (m *Model) events(msg eventsMsg) tea.Cmd {
	var cmds []tea.Cmd
	deltas := true
	for _, e := range msg.events {
		deltas = deltas && delta(e)
		cmds = append(cmds, m.event(e))
	}
	if msg.err != nil {
		if m.ctx.Err() == nil {
			m.appendItem(chat.NewError(m.env, "The agent has ended: "+msg.err.Error()+"\nPress Ctrl+C twice to quit, then start chatvault again; your messages are kept."))
			m.turn, m.state.Turn = turn{shared: m.shared}, session.Turn{}
		}
		return tea.Batch(cmds...)
	}
	pause := time.Duration(0)
	if deltas {
		pause = merge
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

// attached shows the media sent with a message.
func (m *Model) attached(e event.Attached) {
	m.list.Each(func(it list.Item) {
		if u, ok := it.(*chat.User); ok && u.ID == e.MessageID {
			u.Shows(session.MediaLines(e.Media))
		}
	})
}

func (m *Model) turnStarted(e event.TurnStarted) tea.Cmd {
	stop := m.turn.stopping
	m.turn = turn{shared: m.shared, began: m.now(), folds: len(e.MessageIDs) == 0 || m.received[e.MessageIDs[0]].Source != event.SourceWebSocket}
	m.ended = ""
	m.showTaken(e.MessageIDs)
	m.turn.asked = m.question
	if stop {
		return m.stopTurn()
	}
	return nil
}

// maxTasks is the maximum number of lines of the pinned task list.
const maxTasks = 6

// taskLines draws the task list while its turn runs.
func (m *Model) taskLines(width int) []string {
	if limit := min(maxTasks, m.height-12); limit > 0 { // fewer on a small screen
		return chat.TaskLines(m.env, m.turn.tasks, width, limit)
	}
	return nil
}

func (m *Model) turnFinished(e event.TurnFinished) tea.Cmd {
	m.turn.endText()
	if !m.state.Turn.Spoke && e.Response != "" {
		m.turn.write(e.Response)
	}
	m.turn.end(func(t *chat.Tool) {
		if t.State() == chat.ToolWriting { // never ran
			t.Withdraw()
		}
	})
	if q := m.question; q != nil && q == m.turn.asked {
		m.repeat()
	}
	return m.turnOver(e)
}

func (m *Model) turnStopped(e event.TurnStopped) tea.Cmd {
	m.turn.end((*chat.Tool).Stop)
	next := "↑ brings the message back"
	if n := len(m.waiting()); n > 0 {
		next = "continuing with " + queuedMessages(n)
	}
	if len(e.MessageIDs) > 0 && m.received[e.MessageIDs[0]].Source == event.SourceGoal {
		next = "/goal resume continues"
	}
	away := !m.list.Following()
	back := ""
	if m.o.Changes != nil {
		back = "/undo reverts it"
	}
	m.appendItem(chat.NewStopped(m.env, next, e.Changed, back))
	if away { // the notice about it is not visible
		return tea.Batch(m.turnOver(e), m.flash("Stopped · "+next, 3*quitWindow))
	}
	return m.turnOver(e)
}

func (m *Model) turnFailed(e event.TurnFailed) tea.Cmd {
	m.turn.end((*chat.Tool).Stop)
	text := cmp.Or(e.Text, "The turn failed ("+string(e.Code)+").")
	if len(e.MessageIDs) > 0 && m.o.Inbox != nil {
		text += "\n/retry tries your message again."
	}
	m.appendItem(chat.NewError(m.env, text))
	return m.turnOver(e)
}

// turnOver cleans up after a turn, whatever its outcome.
func (m *Model) turnOver(e event.Event) tea.Cmd {
	for _, id := range m.state.Turn.Messages {
		delete(m.received, id)
	}
	if took := m.now().Sub(m.turn.began).Truncate(time.Second); took > 0 {
		switch e.(type) {
		case event.TurnFinished:
			m.ended = "Done in " + chat.Duration(took)
		case event.TurnFailed:
			m.ended = "Failed after " + chat.Duration(took)
		}
	}
	m.turn = turn{shared: m.shared}
	m.state.Apply(e)
	m.requests.withdraw()
	m.env.Citations.Invalidate()
	return nil
}

// stopTurn stops the running or starting turn.
func (m *Model) stopTurn() tea.Cmd {
	if !m.stoppable() {
		return m.flash("Nothing is running", quitWindow)
	}
	m.turn.stopping = m.busy() // false if only a review is running
	m.requests.withdraw()
	p := m.o.Processor
	return func() tea.Msg {
		p.Stop()
		return nil
	}
}

// nextApproval switches to the next approval mode.
func (m *Model) nextApproval() tea.Cmd {
	return func() tea.Msg { return runMsg("approval") }
}

func (m *Model) compactFailed(e event.CompactFailed) {
	m.compactOver()
	switch {
	case e.TurnID != "": // the turn's last event reports it
	case e.Text == "":
		m.appendItem(chat.NewNotice(m.env, "Stopped. Nothing was summarised."))
	default:
		m.appendItem(chat.NewError(m.env, e.Text))
	}
}

// compactOver resets the state after a summary. A stop meant for the summary must not stop a later turn.
func (m *Model) compactOver() {
	if !m.state.Turn.Running {
		m.turn.stopping = false
	}
}

// event dispatches an event to its handler.
//
//nolint:gocyclo // a single switch shows how each event is handled
func (m *Model) event(e event.Event) tea.Cmd {
	defer m.follow()
	was := m.state
	switch e.(type) {
	case event.TurnFinished, event.TurnStopped, event.TurnFailed: // applied after the turn's items are complete
	default:
		m.state.Apply(e)
	}
	switch e := e.(type) {
	// Turns.
	case event.Received:
		m.onReceived(e)
	case event.TurnStarted:
		return m.turnStarted(e)
	case event.Folded:
		m.folded(e)
	case event.TurnFinished:
		return m.turnFinished(e)
	case event.TurnStopped:
		return m.turnStopped(e)
	case event.TurnFailed:
		return m.turnFailed(e)
	case event.GoalChanged:
		if !m.state.Turn.Running && m.state.Goal.Status != event.GoalActive {
			m.turn.stopping = false // the stop applied to the check, not to a later turn
		}
		m.goalChanged(was.Goal)

	// Within a turn.
	case event.StateChanged, event.ReasoningDelta, event.TextDelta, event.TextDone, event.ToolCallDelta, event.ToolStarted, event.ToolFinished, event.Nested,
		event.TaskList, event.Retry:
		m.turn.apply(e)
	case event.AgentMessage:
		if e.IsQuestion {
			m.close()
		}
		m.appendItem(chat.NewMessage(m.env, e.Content, e.IsQuestion))
	case event.Requested:
		if m.turn.stopping { // it is about to be withdrawn
			m.state.Requests = nil
		}
		m.requests.show()
	case event.RequestEnded:
		m.requests.ended(e, was.Requests)

	// Outside of turns.
	case event.CompactStarted:
		m.since = m.now()
		m.turn.endText()
	case event.Compacted:
		m.compactOver()
		m.appendItem(chat.NewCompaction(m.env, e.Summary, e.Before, e.After))
	case event.CompactFailed:
		m.compactFailed(e)
	case event.Attached:
		m.attached(e)
	case event.Suggested:
		if m.composer.Empty() && m.editing == nil {
			m.composer.SetValue(e.Text) // for the user to send or change
		}
	case event.Notice:
		m.appendItem(chat.NewNotice(m.env, e.Text))
	case event.ArtifactChanged:
		if line := session.ArtifactLine(e); line != "" {
			m.appendItem(chat.NewNotice(m.env, line))
		}

	// Conversations.
	case event.ConversationEnded:
		m.conversationEnded(e, was.Conversation)
	case event.ConversationTitled:
		m.talk.conversationTitled(e)
	case event.QuestionDropped:
		m.questionDropped(e)
	case event.RetrospectionDelta:
		m.talk.reviewed(e.ConversationID, e.ConversationTitle).Append(e.Text)
	case event.RetrospectionStarted:
		m.since = m.now()
	case event.RetrospectionEnded:
		if e.Stopped {
			m.appendItem(chat.NewNotice(m.env, "The review was stopped."))
		}
	case event.Retrospected:
		card := m.talk.reviewed(e.ConversationID, e.ConversationTitle)
		m.list.Redraw(func() { card.Finish(e.Content, e.Cut) })
		m.talk.review = nil
	}
	return nil
}

// Deliver handles events as if they had come from the processor, for programs that measure the screen without running
// it.
func (m *Model) Deliver(events ...event.Event) {
	for _, e := range events {
		m.event(e)
	}
	m.dirty = true
}
