package tui

import (
	tea "charm.land/bubbletea/v2"

	"chatvault/agent/event"
	"chatvault/internal/session"
	"chatvault/tui/chat"
)

// event routes an event to the method that acts on it: every one there is.
//
//nolint:gocyclo // one switch, so that what becomes of an event is found in one place
func (m *Model) event(e event.Event) tea.Cmd {
	was := m.state.Goal
	switch e.(type) {
	case event.TurnFinished, event.TurnStopped, event.TurnFailed: // when all of the turn was acted on
	default:
		m.state.Apply(e)
	}
	switch e := e.(type) {
	// A turn's life.
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
			m.turn.stopping = false // it was the check that was stopped, not what comes
		}
		m.goal.changed(was)

	// What the model and its tools do within it.
	case event.StateChanged, event.ReasoningDelta, event.TextDelta, event.TextDone, event.ToolCallDelta, event.ToolStarted, event.TaskList, event.Retry:
		m.turn.apply(e)
	case event.ToolFinished:
		m.turn.apply(e)
		m.requests.SayParts(e)
	case event.Nested:
		m.turn.apply(e)
		if done, ok := e.Event.(event.ToolFinished); ok {
			m.requests.SayParts(done)
		}
	case event.AgentMessage:
		m.agentSaid(e)
	case event.Requested:
		if !m.turn.stopping { // else it is withdrawn in this moment
			m.requests.Requested(e.Request)
		}
	case event.RequestEnded:
		m.requests.Ended(e)

	// What needs no turn.
	case event.CompactStarted:
		m.talk.compacting = m.now()
		m.turn.endText()
	case event.Compacted:
		m.compactOver()
		m.details = true
		m.say(chat.NewCompaction(m.env, e.Summary, e.Before, e.After))
	case event.CompactFailed:
		m.compactFailed(e)
	case event.Attached:
		m.attached(e)
	case event.Notice:
		m.say(chat.NewNotice(m.env, e.Text))
	case event.ArtifactChanged:
		if line := session.ArtifactLine(e); line != "" {
			m.say(chat.NewNotice(m.env, line))
		}
	case event.NoteChanged:
		m.requests.Outdate(e.Path)

	// Conversations.
	case event.ConversationBegan:
		m.talk.fresh, m.talk.began, m.talk.id = nil, e.ID, e.ID
		m.talk.ending.began = true
	case event.ConversationEnded:
		m.conversationEnded(e)
	case event.ConversationTitled:
		m.talk.conversationTitled(e)
	case event.QuestionDropped:
		m.questionDropped(e)
	case event.RetrospectionDelta:
		m.views.proposal.Hear(e)
	case event.RetrospectionStarted:
		m.talk.reviewing = m.now()
	case event.RetrospectionEnded:
		if e.Stopped {
			m.say(chat.NewNotice(m.env, "The review was stopped."))
		}
	case event.Retrospected:
		m.details = true
		m.views.proposal.Look(e)
	}
	return nil
}

// Deliver acts on events as if they had come from the processor; it is for
// programs that measure the screen without running it.
func (m *Model) Deliver(events ...event.Event) {
	for _, e := range events {
		m.event(e)
	}
	m.dirty = true
}
