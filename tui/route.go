package tui

import (
	tea "charm.land/bubbletea/v2"

	"chatvault/internal/session"
)

func (e *engine) nextRoute() tea.Cmd { return next(e.ctx, e.routes, e.routed) }

func (e *engine) routed(s session.RouteStatus) tea.Cmd {
	e.route = s
	return e.nextRoute()
}

// routeText returns the connection's status for the header.
func (e *engine) routeText() string {
	if e.route.State == "" {
		return ""
	}
	return "SmartHole " + string(e.route.State)
}
