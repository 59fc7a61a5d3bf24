package tui

import (
	tea "charm.land/bubbletea/v2"

	"chatvault/agent/event"
	"chatvault/internal/session"
	"chatvault/tui/chat"
)

// event dispatches an event to its handler.
//
//nolint:gocyclo // a single switch shows how each event is handled
func (h *listener) event(e event.Event) tea.Cmd {
	defer h.questions.follow()
	was := h.state.Goal
	switch e.(type) {
	case event.TurnFinished, event.TurnStopped, event.TurnFailed: // applied after the turn's items are complete
	default:
		h.state.Apply(e)
	}
	switch e := e.(type) {
	// Turns.
	case event.Received:
		h.sending.onReceived(e)
	case event.TurnStarted:
		return h.turnStarted(e)
	case event.Folded:
		h.folded(e)
	case event.TurnFinished:
		return h.turnFinished(e)
	case event.TurnStopped:
		return h.turnStopped(e)
	case event.TurnFailed:
		return h.turnFailed(e)
	case event.GoalChanged:
		if !h.state.Turn.Running && h.state.Goal.Status != event.GoalActive {
			h.turn.stopping = false // the stop applied to the check, not to a later turn
		}
		h.goal.changed(was)

	// Within a turn.
	case event.StateChanged, event.ReasoningDelta, event.TextDelta, event.TextDone, event.ToolCallDelta, event.ToolStarted, event.ToolFinished, event.Nested,
		event.TaskList, event.Retry:
		h.turn.apply(e)
	case event.AgentMessage:
		if e.IsQuestion {
			h.questions.close()
		}
		h.appendItem(chat.NewMessage(h.env, e.Content, e.IsQuestion))
	case event.Requested:
		if !h.turn.stopping { // otherwise it is about to be withdrawn
			h.requests.add(e.Request)
		}
	case event.RequestEnded:
		h.requests.requestEnded(e)

	// Outside of turns.
	case event.CompactStarted:
		h.talk.compacting = h.now()
		h.turn.endText()
	case event.Compacted:
		h.compactOver()
		h.details = true
		h.appendItem(chat.NewCompaction(h.env, e.Summary, e.Before, e.After))
	case event.CompactFailed:
		h.compactFailed(e)
	case event.Attached:
		h.attached(e)
	case event.Suggested:
		if h.composer.Empty() && h.editing == nil {
			h.composer.SetValue(e.Text) // for the user to send or change
		}
	case event.Notice:
		h.appendItem(chat.NewNotice(h.env, e.Text))
	case event.ArtifactChanged:
		if line := session.ArtifactLine(e); line != "" {
			h.appendItem(chat.NewNotice(h.env, line))
		}

	// Conversations.
	case event.ConversationBegan:
		h.talk.fresh = nil
		h.talk.ending.began = true
	case event.ConversationEnded:
		h.conversationEnded(e)
	case event.ConversationTitled:
		h.talk.conversationTitled(e)
	case event.QuestionDropped:
		h.questionDropped(e)
	case event.RetrospectionDelta:
		h.talk.reviewGrows(e)
	case event.RetrospectionStarted:
		h.talk.reviewing = h.now()
	case event.RetrospectionEnded:
		if e.Stopped {
			h.appendItem(chat.NewNotice(h.env, "The review was stopped."))
		}
	case event.Retrospected:
		h.details = true
		h.talk.reviewed(e)
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
