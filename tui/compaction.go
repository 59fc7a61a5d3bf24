package tui

import (
	"time"

	"chatvault/agent/event"
	"chatvault/tui/chat"
)

// compacting is a summary of earlier messages that is being made.
type compacting struct {
	running bool
	began   time.Time
}

func (m *Model) compactStarted() {
	m.compacting = compacting{true, m.now()}
	m.endText()
}

func (m *Model) compacted(e event.Compacted) {
	m.compactOver()
	m.talk.details = true
	m.say(chat.NewCompaction(m.env, e.Summary, e.Before, e.After))
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
	m.compacting = compacting{}
	if !m.turn.running {
		m.turn.stopping = false
	}
}
