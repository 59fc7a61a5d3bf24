package tui

import (
	"chatvault/internal/session"

	tea "github.com/charmbracelet/bubbletea"
)

// Routing is the way in for messages that SmartHole routes here.
type Routing struct {
	On  func() error // connects, and keeps connected; its error says why that cannot be
	Off func()       // disconnects
	// Changes brings how the connection stands, each time that is another than before.
	Changes <-chan session.RouteStatus
}

// routedMsg brings a new status.
type routedMsg struct {
	session.RouteStatus
	open bool
}

func (m *Model) nextRoute() tea.Cmd {
	if m.o.Routing == nil {
		return nil
	}
	changes, ctx := m.o.Routing.Changes, m.ctx
	return func() tea.Msg {
		select {
		case s, open := <-changes:
			return routedMsg{s, open}
		case <-ctx.Done():
			return nil
		}
	}
}

func (m *Model) routed(msg routedMsg) tea.Cmd {
	if !msg.open {
		return nil
	}
	m.route = msg.RouteStatus
	return m.nextRoute()
}

// routeText is the connection's place in the header.
func (m *Model) routeText() string {
	if m.route.State == "" {
		return ""
	}
	return "SmartHole " + m.route.State
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
