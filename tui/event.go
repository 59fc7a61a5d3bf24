package tui

import (
	tea "github.com/charmbracelet/bubbletea"

	"chatvault/agent"
	"chatvault/tui/chat"
)

// event routes one event to the method that acts on it: first those of a turn's life.
func (m *Model) event(e agent.Event) tea.Cmd {
	switch e := e.(type) {
	case agent.Received:
		m.onReceived(e)
	case agent.TurnStarted:
		return m.turnStarted(e)
	case agent.Waiting:
		m.turn.waiting = true
	case agent.Folded:
		m.folded(e)
	case agent.StateChanged:
		m.stateChanged(e)
	case agent.TurnFinished:
		return m.turnFinished(e)
	case agent.TurnStopped:
		return m.turnStopped(e)
	case agent.TurnFailed:
		return m.turnFailed(e)
	default:
		m.worked(e)
	}
	return nil
}

// worked routes an event of what the model and its tools do within a turn.
func (m *Model) worked(e agent.Event) {
	switch e := e.(type) {
	case agent.ReasoningDelta:
		m.reasoned(e)
	case agent.TextDelta:
		m.wrote(e.Text)
	case agent.TextDone:
		m.textDone(e)
	case agent.ToolCallDelta:
		m.toolWriting(e)
	case agent.ToolStarted:
		m.toolStarted(e)
	case agent.ToolFinished:
		m.toolFinished(e)
	case agent.Nested:
		m.nested(e)
	case agent.TaskList:
		m.listed(e)
	case agent.AgentMessage:
		m.agentSaid(e)
	case agent.Requested:
		m.requested(e.Request)
	case agent.RequestEnded:
		m.requestEnded(e)
	case agent.Retry:
		m.retrying(e)
	default:
		m.told(e)
	}
}

// told routes an event that needs no turn.
func (m *Model) told(e agent.Event) {
	switch e := e.(type) {
	case agent.UsageReported:
		m.used(e)
	case agent.GoalChanged:
		m.goalChanged(e.Goal)
	case agent.CompactStarted:
		m.compactStarted()
	case agent.Compacted:
		m.compacted(e)
	case agent.CompactFailed:
		m.compactFailed(e)
	case agent.FellBack:
		m.provider = e.To
	case agent.Notice:
		m.say(chat.NewNotice(m.env, e.Text))
	case agent.NoteChanged:
		m.outdateRequests(e.Path)
	default:
		m.overheard(e)
	}
}

// overheard routes an event about conversations.
func (m *Model) overheard(e agent.Event) {
	switch e := e.(type) {
	case agent.ConversationBegan:
		m.conversationBegan(e)
	case agent.ConversationEnded:
		m.conversationEnded(e)
	case agent.ConversationTitled:
		m.conversationTitled(e)
	case agent.QuestionDropped:
		m.questionDropped(e)
	case agent.Retrospected:
		m.lookedBack(e)
	}
}

// Deliver acts on events as if they had come from the processor; it is for
// programs that measure the screen without running it.
func (m *Model) Deliver(events ...agent.Event) {
	for _, e := range events {
		m.event(e)
	}
	m.dirty = true
}
