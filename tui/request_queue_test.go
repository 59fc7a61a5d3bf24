package tui

import (
	"errors"
	"testing"

	"chatvault/agent/event"
	"chatvault/tui/loop"
)

func TestOneRequestIsShownAtATime(t *testing.T) {
	t.Parallel()
	s := newScreen(t)
	r := s.m.requests
	for _, id := range []string{"r1", "r2"} {
		s.deliver(event.Requested{Request: event.Request{ID: id, Kind: event.RequestSetting, Name: id}})
	}
	if next, ok := r.next(); r.shown != "r1" || !ok || next.ID != "r1" {
		t.Fatalf("%q is shown, %q is next", r.shown, next.ID)
	}
	s.f.refuseAnswer = errors.New("nothing was typed")
	refused := r.decide(event.Request{ID: "r1"}, event.Answer{})()().(loop.Do)
	if next, _ := r.next(); r.shown != "r2" || next.ID != "r2" {
		t.Fatalf("%q is shown after the first, %q is next", r.shown, next.ID)
	}
	refused()
	if next, _ := r.next(); next.ID != "r1" || s.m.hint == "" {
		t.Errorf("%q is next after a refusal, reported as %q", next.ID, s.m.hint)
	}
	s.deliver(event.RequestEnded{ID: "r2"})
	if next, _ := r.next(); next.ID != "r1" || r.shown != "r1" {
		t.Errorf("%q is shown, %q is next", r.shown, next.ID)
	}
	if r.withdraw(); len(s.m.state.Requests) > 0 || r.asks() || !s.m.dialogs.Empty() {
		t.Error("a request is still open")
	}
}
