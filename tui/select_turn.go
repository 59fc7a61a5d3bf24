package tui

import (
	"context"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"chatvault/internal/session"
	"chatvault/tui/chat"
	"chatvault/tui/loop"
)

// turnFound brings what the user said in the turn of a message that was selected.
type turnFound struct {
	again   bool                // it is to be tried again; else it is edited
	said    *said               // nil: it is not of the conversation that goes on
	waiting *session.Unfinished // it failed, and waits to be retried; nil: it does not
	err     error
}

// findTurn finds the turn of a message of the user's, to edit the message or to try the turn again.
func (m *Model) findTurn(u *chat.User, again bool) tea.Cmd {
	switch {
	case !m.canEdit():
		return m.flash("What was said cannot be gone back to here", quitWindow)
	case m.busy():
		return m.flash(turnRuns, 2*quitWindow)
	case m.editing != nil:
		return m.flash("A message is being edited: Esc leaves it", 2*quitWindow)
	case u.ID() == "":
		return m.flash("This message was not sent", quitWindow)
	}
	ctx, history, unfinished := m.ctx, m.o.History, m.o.Unfinished
	if !again || !m.views.unfinished.Can() {
		unfinished = nil
	}
	return func() tea.Msg {
		msg := turnFound{again: again}
		if unfinished != nil {
			msg.waiting = waitingFor(ctx, unfinished, u.ID())
		}
		items, err := history(ctx)
		msg.said, msg.err = userMessageWith(items, u.ID()), err
		return loop.Do(func() tea.Cmd { return m.turnFound(msg) })
	}
}

// waitingFor is the message with this id, where it failed and waits to be tried again.
func waitingFor(ctx context.Context, unfinished func(context.Context) ([]session.Unfinished, error), id string) *session.Unfinished {
	list, err := unfinished(ctx)
	if err != nil {
		return nil // the turn is gone back to instead
	}
	if i := slices.IndexFunc(list, func(x session.Unfinished) bool { return x.Message.ID == id }); i >= 0 {
		return &list[i]
	}
	return nil
}

// userMessageWith is what the user said in the turn that took a message; nil where none did.
func userMessageWith(items []session.HistoryItem, id string) *said {
	turn := ""
	for _, h := range items {
		if h.ID == id && h.ID != "" && !h.Carried {
			turn = h.Turn
		}
	}
	if turn == "" {
		return nil
	}
	for _, s := range userMessagesIn(items) {
		if s.id == turn {
			return &s
		}
	}
	return nil
}

// turnFound edits the message, or tries its turn again.
func (m *Model) turnFound(msg turnFound) tea.Cmd {
	switch {
	case msg.err != nil:
		return m.flash("The conversation could not be read: "+msg.err.Error(), 3*quitWindow)
	case m.busy() || m.editing != nil:
		return nil // something began meanwhile
	case msg.waiting != nil:
		m.selection.Leave()
		return m.views.unfinished.AskOrRetry(*msg.waiting)
	case msg.said == nil:
		return m.flash("This is not of the conversation that goes on: /conversations continues another", 3*quitWindow)
	}
	m.selection.Leave()
	if !msg.again {
		m.edit(*msg.said)
		return nil
	}
	m.hint = ""
	m.moving.edited = &editing{said: said{msg.said.id, msg.said.text, msg.said.mode}}
	m.list.End()
	if m.o.Backing.Reach != nil && m.o.Backing.Fork != nil {
		return m.checkReach(msg.said.id)
	}
	return m.goBack(nil)
}
