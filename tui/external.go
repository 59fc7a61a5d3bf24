package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"chatvault/internal/session"
	"chatvault/tui/loop"
)

// Another process may go on with the conversation that is on the screen, or begin another one:
// ask, a second chat, one that takes routed messages. What it said is shown while nothing runs and
// nothing is being done.

// externalPoll is how often the screen asks.
const externalPoll = 2 * time.Second

type pollExternalMsg struct{}

// pollExternal asks again after a while.
func (m *Model) pollExternal() tea.Cmd {
	if m.o.Conversation == nil {
		return nil
	}
	return m.tick(externalPoll, func(time.Time) tea.Msg { return pollExternalMsg{} })
}

// idle says whether the conversation may be shown anew: nothing runs, nothing is being
// decided or edited, and the end is in sight.
func (m *Model) idle() bool {
	return m.talk.loaded && !m.busy() && m.dialogs.Empty() && m.editing == nil && m.list.Following() && !m.selection.Active()
}

func (m *Model) checkExternal() tea.Cmd {
	if !m.idle() {
		return m.pollExternal()
	}
	ctx, look, again := m.ctx, m.o.Conversation, m.talk.missed
	m.talk.missed = false
	next := m.pollExternal()
	return func() tea.Msg {
		p, changed, err := look.ExternalChange(ctx, again)
		if err == nil && !changed { // nothing to be told, and nothing to be drawn
			if next == nil {
				return nil
			}
			return next()
		}
		return loop.Do(func() tea.Cmd { return m.externalChange(p, err) })
	}
}

// externalChange shows what another process did.
func (m *Model) externalChange(p session.Page, err error) tea.Cmd {
	switch {
	case err != nil: // a turn would tell
		m.talk.missed = true
		return m.pollExternal()
	case !m.idle():
		m.talk.missed = true // it is read again
		return m.pollExternal()
	}
	if m.talk.first != "" && p.ID != m.talk.id {
		b := m.boundary(nil)
		if m.talk.id != "" {
			m.talk.boundaries[m.talk.id] = b // its title may come
		}
		if p.ID == "" {
			m.talk.fresh = b
		}
	}
	m.talk.id = p.ID
	m.reload(p)
	return tea.Batch(m.flash("Another chatvault window worked in this vault; its conversation is shown", 2*quitWindow), m.pollExternal())
}

func (m *Model) nextRoute() tea.Cmd { return next(m.ctx, m.routes, m.routed) }

func (m *Model) routed(s session.RouteStatus) tea.Cmd {
	m.route = s
	return m.nextRoute()
}

// routeText is the connection's place in the header.
func (m *Model) routeText() string {
	if m.route.State == "" {
		return ""
	}
	return "SmartHole " + string(m.route.State)
}

// showRoute says how the connection stands.
func (m *Model) showRoute() tea.Cmd {
	text := "SmartHole is off: /smarthole on connects to it"
	if m.route.State != "" {
		text = m.routeText()
		if m.route.Reason != "" {
			text += ": " + m.route.Reason
		}
	}
	return m.flash(text, 5*quitWindow)
}
