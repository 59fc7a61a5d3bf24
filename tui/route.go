package tui

import (
	tea "charm.land/bubbletea/v2"

	"chatvault/internal/session"
)

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
