package tui

import (
	"time"

	"chatvault/internal/session"

	tea "github.com/charmbracelet/bubbletea"
)

// Another process may go on with the conversation that is on the screen, or begin another one:
// ask, a second chat, one that takes routed messages. What it said is shown while nothing runs and
// nothing is being done.

// elsewhereEvery is how often the screen asks.
const elsewhereEvery = 2 * time.Second

type (
	elsewhereDueMsg struct{}
	elsewhereMsg    struct {
		page    session.Page
		changed bool
		err     error
	}
)

// watchElsewhere asks again after a while.
func (m *Model) watchElsewhere() tea.Cmd {
	if m.o.Elsewhere == nil {
		return nil
	}
	return m.tick(elsewhereEvery, func(time.Time) tea.Msg { return elsewhereDueMsg{} })
}

// undisturbed says whether the conversation may be shown anew: nothing runs, nothing is being
// decided or edited, and the end is in sight.
func (m *Model) undisturbed() bool {
	return m.talk.loaded && !m.busy() && m.dialogs.Empty() && m.editing == nil && m.list.Following() && !m.selection.Active()
}

func (m *Model) lookElsewhere() tea.Cmd {
	if !m.undisturbed() {
		return m.watchElsewhere()
	}
	ctx, look, again := m.ctx, m.o.Elsewhere, m.talk.missed
	m.talk.missed = false
	next := m.watchElsewhere()
	return func() tea.Msg {
		p, changed, err := look(ctx, again)
		if err == nil && !changed { // nothing to be told, and nothing to be drawn
			if next == nil {
				return nil
			}
			return next()
		}
		return elsewhereMsg{p, changed, err}
	}
}

// elsewhere shows what another process did.
func (m *Model) elsewhere(msg elsewhereMsg) tea.Cmd {
	switch {
	case msg.err != nil: // a turn would tell
		m.talk.missed = true
		return m.watchElsewhere()
	case !msg.changed:
		return m.watchElsewhere()
	case !m.undisturbed():
		m.talk.missed = true // it is read again
		return m.watchElsewhere()
	}
	if m.talk.first != "" && msg.page.ID != m.talk.id {
		b := m.boundary(nil)
		if m.talk.id != "" {
			m.talk.bound(m.talk.id, b) // its title may come
		}
		if msg.page.ID == "" {
			m.talk.fresh = b
		}
	}
	m.talk.id = msg.page.ID
	m.reload(msg.page)
	return tea.Batch(m.pass("Another chatvault was at work in this vault; its conversation is shown", 2*quitWindow), m.watchElsewhere())
}
