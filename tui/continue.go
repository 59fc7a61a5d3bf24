package tui

import (
	tea "github.com/charmbracelet/bubbletea"

	"chatvault/internal/session"
	"chatvault/tui/chat"
	"chatvault/tui/list"
	"chatvault/tui/loop"
	"chatvault/tui/phrase"
	"chatvault/tui/usage"
)

// continuePast goes on with a conversation that ended, in a new one.
func (m *Model) continuePast(p session.Past) tea.Cmd {
	if m.busy() {
		return m.flash(turnRuns, 2*quitWindow)
	}
	m.views.base.Stop()
	var keep tea.Cmd
	if m.editing != nil {
		keep = m.leaveEditing()
	}
	m.moving.running, m.moving.on = true, true
	goOn, ctx := m.o.Conversations.Continue, m.ctx
	return tea.Batch(keep, func() tea.Msg {
		page, err := goOn(ctx, p.ID)
		return loop.Do(func() tea.Cmd { return m.continuedPast(page, err) })
	})
}

// continuedPast shows it below what was said before, as /new would. That the one before ended is
// told by an event, which may have come already.
func (m *Model) continuedPast(page session.Page, err error) tea.Cmd {
	m.moving, m.turn.stopping = moving{}, m.turn.stopping && m.turn.running
	if err != nil {
		return tea.Batch(m.flash("Not continued: "+err.Error(), 3*quitWindow), m.hand())
	}
	if m.talk.first != "" {
		b := m.boundary(nil)
		if m.talk.began != page.ID {
			m.talk.fresh = b
		}
	}
	m.usage, m.talk.id = usage.Usage{Turns: m.usage.Turns}, page.ID
	m.reload(page)
	return tea.Batch(m.flash("Your next message goes on with it", 2*quitWindow), m.hand())
}

// continued is the line where a conversation begins that continues another one.
func (m *Model) continued(h session.HistoryItem) list.Item {
	m.talk.details = m.talk.details || h.Summary != ""
	return chat.NewContinued(m.env, "Continues “"+phrase.Line(h.Content)+"” of "+phrase.Day(h.Time, m.now()), h.Detail, h.Summary)
}
