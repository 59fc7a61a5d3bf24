package tui

import (
	"cmp"
	"time"

	tea "charm.land/bubbletea/v2"
)

// notifyDelay is how long a state must last before the user is notified, since queued messages and goals continue
// without the user.
const notifyDelay = time.Second

// activity is the state of the chat as shown by the window.
type activity int

const (
	idle    activity = iota
	working          // a turn is running
	waiting          // the user must answer a question or approve a change
)

// notifyMsg notifies the user if the id is still current.
type notifyMsg struct{ id int }

// notifier notifies users whose focus is elsewhere.
type notifier struct {
	*shared
	away  bool // the terminal lost the focus
	state activity
	id    int // counts notifications
}

// worthNotifying reports whether a user who is away should learn of a change: work ended, or something waits for an
// answer.
func worthNotifying(was, is activity) bool {
	return was != is && (is == waiting || is == idle && was == working)
}

// activity returns the state shown by the window.
func (m *Model) activity() activity {
	switch {
	case m.requests.asks(), m.question != nil && !m.busy():
		return waiting
	case m.busy():
		return working
	}
	return idle
}

// focused records the focus. A user with the focus is not notified.
func (n *notifier) focused(has bool) {
	n.away = !has
	n.id++
}

// follow notifies a user who is away of a change of the state.
func (n *notifier) follow(is activity) tea.Cmd {
	was := n.state
	n.state = is
	if was != is {
		n.id++
	}
	if !n.away || n.o.Notify == nil || !worthNotifying(was, is) {
		return nil
	}
	id := n.id
	return n.tick(notifyDelay, func(time.Time) tea.Msg { return notifyMsg{id} })
}

// notify sends a notification if it is still current.
func (n *notifier) notify(msg notifyMsg, text string) tea.Cmd {
	if msg.id != n.id || !n.away {
		return nil
	}
	sequence := n.o.Notify
	return func() tea.Msg { return tea.RawMsg{Msg: sequence(text)} }
}

// notification returns the text of a notification.
func (m *Model) notification() string {
	if m.notifier.state == waiting {
		return "The agent asks you something · " + m.o.VaultName
	}
	return cmp.Or(m.ended, "Done") + " · " + m.o.VaultName
}
