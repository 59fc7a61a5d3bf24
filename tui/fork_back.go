package tui

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"

	"chatvault/internal/session"
	"chatvault/tui/dialog"
	"chatvault/tui/loop"
	"chatvault/tui/phrase"
)

// Where turns are left that changed the vault, going back asks whether that is to be taken back
// too. Nothing happens before the answer.

// Backing is how going back takes changes of the vault back. What is nil is not offered.
type Backing struct {
	// Reach looks at the turns from the one of a message of the user's on.
	Reach func(ctx context.Context, messageID string) (session.Reach, error)
	// Fork goes back as Options.Fork does, and then takes the turns' changes back.
	Fork func(ctx context.Context, messageID string, turns []string) (session.Moved, error)
}

// checkReach finds out what the turns changed that are about to be left.
func (m *Model) checkReach(id string) tea.Cmd {
	m.moving.running = true
	ctx, look := m.ctx, m.o.Backing.Reach
	return func() tea.Msg {
		r, err := look(ctx, id)
		return loop.Do(func() tea.Cmd { return m.reached(r, err) })
	}
}

// reached asks, or goes back where there is nothing to ask.
func (m *Model) reached(r session.Reach, err error) tea.Cmd {
	switch {
	case m.turn.stopping && !m.turn.running: // it was stopped meanwhile
		m.turn.stopping = false
		return m.keepEditing()
	case err != nil || len(r.Turns) == 0: // what stays is told
		return m.goBack(nil)
	}
	m.moving.running, m.moving.asks = false, true
	title := "What you leave changed " + phrase.Count(r.Notes, "note", "notes") + ". Take that back too?"
	d := dialog.NewConfirm(m.styles, title, "What somebody changed since stays as it is, and is named.", "", []dialog.Choice{
		{Label: "Take it back", Result: m.goingBack(r.Turns)},
		{Label: "Leave the notes as they are", Result: m.goingBack(nil)},
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
			return m.flash("Not sent: a turn runs meanwhile. Your text stays here", 3*quitWindow)
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
	id, ctx, fork, back := m.moving.edited.id, m.ctx, m.o.Fork, m.o.Backing.Fork
	return m.move(func() (session.Moved, error) {
		if len(turns) > 0 {
			return back(ctx, id, turns)
		}
		return fork(ctx, id)
	}, false)
}
