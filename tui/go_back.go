package tui

import (
	"context"
	"slices"

	"chatvault/internal/session"
	"chatvault/internal/text"
	"chatvault/tui/chat"
	"chatvault/tui/dialog"
	"chatvault/tui/loop"
	"chatvault/tui/phrase"

	tea "github.com/charmbracelet/bubbletea"
)

// Where turns are left that changed the vault, going back asks whether that is to be taken back
// too. Nothing happens before the answer.

// checkReach finds out what the turns changed that are about to be left.
func (m *Model) checkReach(id string) tea.Cmd {
	m.moving.running = true
	reach := func(ctx context.Context) (session.Reach, error) { return m.o.Conversation.Reach(ctx, id) }
	return loop.Then(m.ctx, reach, m.reached)
}

// reached asks, or goes back where there is nothing to ask.
func (m *Model) reached(r session.Reach, err error) tea.Cmd {
	switch {
	case m.turn.stopping && !m.state.Turn.Running: // it was stopped meanwhile
		m.turn.stopping = false
		return m.keepEditing()
	case err != nil || len(r.Turns) == 0: // what stays is told
		return m.goBack(nil)
	}
	m.moving.running, m.moving.asks = false, true
	title := "The turns you leave changed " + text.Count(r.Notes, "note") + ". Undo that too?"
	d := dialog.NewConfirm(m.styles, title, "Anything changed since is kept and listed.", "", []dialog.Choice{
		{Label: "Undo it", Result: m.goingBack(r.Turns)},
		{Label: "Keep the changes", Result: m.goingBack(nil)},
		{Label: "Do not go back", Result: loop.Do(m.keepEditing)},
	}, 1, loop.Do(m.keepEditing), nil)
	d.List(phrase.Lines(r.Back), "change", "changes")
	m.dialogs.PushUnasked(d, m.now())
	return nil
}

// goingBack is the result that goes back, and takes turns back.
func (m *Model) goingBack(turns []string) loop.Do {
	return func() tea.Cmd {
		switch e := m.moving.edited; {
		case e == nil:
			m.moving.asks = false
			return nil
		case m.busy():
			m.moving = moving{}
			m.editAgain(e)
			return m.flash("Not sent: a turn is running. Your text stays here", 3*quitWindow)
		}
		m.moving.asks = false
		return m.goBack(turns)
	}
}

// keepEditing goes back to nothing: the message is edited on.
func (m *Model) keepEditing() tea.Cmd {
	e := m.moving.edited
	m.moving.asks = false
	if e == nil {
		return nil
	}
	m.moving = moving{}
	m.editAgain(e)
	return m.hand()
}

// goBack goes back to before the message that was edited, and takes turns back.
func (m *Model) goBack(turns []string) tea.Cmd {
	id, c := m.moving.edited.id, m.o.Conversation
	return m.move(func(ctx context.Context) (session.Moved, error) {
		if len(turns) > 0 {
			return c.ForkBack(ctx, id, turns)
		}
		return c.Fork(ctx, id)
	}, false)
}

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
		return m.flash("You cannot go back in this conversation here", quitWindow)
	case m.busy():
		return m.flash(turnRuns, 2*quitWindow)
	case m.editing != nil:
		return m.flash("You are editing a message: Esc to cancel", 2*quitWindow)
	case u.ID() == "":
		return m.flash("This message was not sent", quitWindow)
	}
	ctx, c, unfinished := m.ctx, m.o.Conversation, m.o.Inbox
	if !again || !m.views.unfinished.Can() {
		unfinished = nil
	}
	return func() tea.Msg {
		msg := turnFound{again: again}
		if unfinished != nil {
			msg.waiting = waitingFor(ctx, unfinished, u.ID())
		}
		items, err := c.History(ctx)
		msg.said, msg.err = userMessageWith(items, u.ID()), err
		return loop.Do(func() tea.Cmd { return m.turnFound(msg) })
	}
}

// waitingFor is the message with this id, where it failed and waits to be tried again.
func waitingFor(ctx context.Context, unfinished Inbox, id string) *session.Unfinished {
	list, err := unfinished.List(ctx)
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
		return m.flash("This is not part of the active conversation: /conversations continues another", 3*quitWindow)
	}
	m.selection.Leave()
	if !msg.again {
		return m.edit(*msg.said)
	}
	m.hint = ""
	m.moving.edited = &editing{said: said{msg.said.id, msg.said.text, msg.said.mode}}
	m.list.End()
	return m.checkReach(msg.said.id)
}
