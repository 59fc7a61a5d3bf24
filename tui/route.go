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
