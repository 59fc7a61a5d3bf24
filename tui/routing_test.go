package tui

import (
	"context"
	"errors"
	"testing"

	tea "charm.land/bubbletea/v2"

	"chatvault/internal/app/session"
	"chatvault/tui/loop"
)

func TestRouting(t *testing.T) {
	changes := make(chan session.RouteStatus)
	close(changes) // no more changes
	on, off := 0, 0
	refuse := error(nil)
	s := newScreen(t, func(o *Options) {
		o.Routing = &fakeRouting{changes: func(context.Context) <-chan session.RouteStatus { return changes }, on: func() error { on++; return refuse }, off: func() { off++ }}
	})
	s.command("/smarthole")
	s.wants("SmartHole is off: /smarthole on connects to it")
	s.send(loop.Do(func() tea.Cmd { return s.m.routed(session.RouteStatus{State: "connected"}) }))
	s.wants("SmartHole connected")
	s.send(loop.Do(func() tea.Cmd {
		return s.m.routed(session.RouteStatus{State: "disconnected", Reason: "it does not run"})
	}))
	s.m.o.Routing.(*fakeRouting).status = session.RouteStatus{State: "disconnected", Reason: "it does not run"}
	s.command("/smarthole")
	s.wants("SmartHole disconnected: it does not run")
	s.command("/smarthole off")
	s.command("/smarthole on")
	if on != 1 || off != 1 {
		t.Errorf("turned on %d times, off %d times", on, off)
	}
	refuse = errors.New("offline is set")
	s.command("/smarthole on")
	s.wants("SmartHole stays off: offline is set")
	s.command("/smarthole maybe")
	s.wants("/smarthole off")
}
