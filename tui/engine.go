package tui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"chatvault/internal/app/session"
	"chatvault/internal/app/session/provider"
	"chatvault/tui/phrase"
)

// engine tracks the model that answers, for the first screen and the header.
type engine struct {
	*shared
	examples []string            // example questions
	offline  bool                // the embedded engine answers
	next     *provider.ModelUsed // a selected model that is not shown yet, or nil
	lacks    string              // about a local server that cannot chat yet; may be empty
	route    session.RouteStatus // status of the connection
}

func (e *engine) routed(s session.RouteStatus) tea.Cmd {
	e.route = s
	return nil
}

// forms returns the forms of the embedded engine's commands; none with a model.
func (e *engine) forms() []string {
	if !e.offline {
		return nil
	}
	return e.o.Forms
}

// useModel records the selected model and returns a message about when it takes effect.
func (e *engine) useModel(used provider.ModelUsed) string {
	e.next = &used
	if e.busy() {
		return "From the next turn on: " + phrase.Line(used.Name) + ". This one continues with " + phrase.Line(e.state.Provider)
	}
	e.takeModel()
	return "Model: " + phrase.Line(used.Name)
}

// takeModel shows the selected model once no turn is running.
func (e *engine) takeModel() {
	if e.next == nil || e.busy() || e.state.Provider == e.next.Name && e.offline == e.next.Offline {
		return
	}
	e.state.Provider, e.offline = e.next.Name, e.next.Offline
	e.welcome.Set(e.welcomeData())
}

// chooseModel handles /model, with a name or without.
func (m *Model) chooseModel(name string) tea.Cmd {
	if name != "" {
		return m.lists.do(session.UseModel(m.o.Models, name), "")
	}
	return m.lists.open(func(context.Context) (*session.List, error) { return session.ListModels(m.o.Models), nil })
}
