package tui

import (
	"fmt"
	"strings"
	"testing"

	"chatvault/agent/event"
)

// escLayers lists the layers that Esc closes, innermost first, and the effect on each.
var escLayers = []struct {
	name   string
	open   func(s escState) bool
	action escAction
	close  func(s *escState)
}{
	{"dialog", func(s escState) bool { return s.dialog }, escCloseDialog, func(s *escState) { s.dialog, s.takesKeys = false, false }},
	{"find", func(s escState) bool { return s.finding }, escCloseFind, func(s *escState) { s.finding = false }},
	{"completion", func(s escState) bool { return s.completing }, escCloseCompletion, func(s *escState) { s.completing = false }},
	{"selection", func(s escState) bool { return s.selecting }, escLeaveSelection, func(s *escState) { s.selecting = false }},
	{"turn", func(s escState) bool { return s.running && !s.stopping }, escStop, func(s *escState) { s.stopping = true }},
	{"edit", func(s escState) bool { return s.editing }, escLeaveEdit, func(s *escState) { s.editing = false }},
	{"question", func(s escState) bool { return s.question }, escLeaveQuestion, func(s *escState) { s.question = false }},
}

// In every combination of layers, each Esc closes the innermost; a turn is stopped only once; and Esc alone leads
// back to the base state.
func TestEscapeInEveryCombination(t *testing.T) {
	const bits = 9
	for in := range 1 << bits {
		on := func(bit int) bool { return in>>bit&1 == 1 }
		start := escState{
			dialog: on(0), takesKeys: on(0) && on(1), finding: on(2), completing: on(3), selecting: on(4),
			running: on(5), stopping: on(6), editing: on(7), question: on(8),
		}
		if !start.dialog && on(1) {
			continue // a duplicate
		}
		s, stops := start, 0
		for presses := 0; ; presses++ {
			if presses > len(escLayers)+3 {
				t.Fatalf("%+v: Esc does not lead out of %+v", start, s)
			}
			action := escape(s)
			if action == escStop {
				stops++
			}
			innermost := -1
			for i, l := range escLayers {
				if l.open(s) {
					innermost = i
					break
				}
			}
			// A dialog that does not accept keys yet cannot be the target, so Esc goes to the running work.
			early := s.dialog && !s.takesKeys
			switch {
			case early && s.running && !s.stopping:
				if action != escStop {
					t.Fatalf("%+v: %v at a dialog that just appeared over a turn", s, action)
				}
				s.stopping = true
				continue
			case early && (s.running || s.stopping && action == escNothing):
				if action != escNothing {
					t.Fatalf("%+v: %v", s, action)
				}
				s.takesKeys = true // after a while
				continue
			case innermost < 0 && (s.running || s.stopping):
				if action != escNothing {
					t.Fatalf("%+v: %v while it is being stopped", s, action)
				}
				s.running, s.stopping = false, false // after a while
				continue
			case innermost < 0:
				if action != escNothing {
					t.Fatalf("%+v: %v where nothing is open", s, action)
				}
			case (escLayers[innermost].name == "edit" || escLayers[innermost].name == "question") && s.stopping:
				if action != escNothing {
					t.Fatalf("%+v: %v", s, action)
				}
				s.running, s.stopping = false, false
				continue
			default:
				if action != escLayers[innermost].action {
					t.Fatalf("%+v: %v, the innermost is the %s", s, action, escLayers[innermost].name)
				}
				escLayers[innermost].close(&s)
				continue
			}
			break
		}
		if want := start.running && !start.stopping; stops > 1 || want != (stops == 1) {
			t.Errorf("%+v: stopped %d times", start, stops)
		}
	}
}

// The same on the screen: in any combination, Esc closes only the innermost layer.
func TestEscOnTheScreenInEveryCombination(t *testing.T) {
	t.Parallel()
	open := []struct {
		name string
		do   func(s *screen)
		is   func(m *Model) bool
	}{ // outermost first
		{"edit", func(s *screen) { s.command("/edit"); s.key("enter") }, func(m *Model) bool { return m.editing != nil }},
		{"turn", func(s *screen) {
			s.deliver(event.Received{Message: event.Inbound{ID: "x", Text: "routed", Source: event.SourceWebSocket}}, event.TurnStarted{MessageIDs: []string{"x"}})
		}, func(m *Model) bool { return m.state.Turn.Running && !m.turn.stopping }},
		{"selection", func(s *screen) { s.key("ctrl+up") }, func(m *Model) bool { return m.selection.Active() }},
		{"completion", func(s *screen) { s.typeText(" see [[Plum") }, func(m *Model) bool { return m.completion.Active() }},
		{"find", func(s *screen) { s.key("ctrl+f") }, func(m *Model) bool { return m.find.Active() }},
		{"dialog", func(s *screen) { s.key("f1") }, func(m *Model) bool { return !m.dialogs.Empty() }},
	}
	were := map[string]int{}
	for in := range 1 << len(open) {
		s := newScreen(t, newWay().options, new(reviews).options, newGarden().options)
		s.deliver(event.AgentMessage{Content: "Said before."})
		for i, o := range open {
			if in>>i&1 == 1 {
				o.do(s)
			}
		}
		var left []int
		for i, o := range open {
			if o.is(s.m) {
				left = append(left, i)
				were[o.name]++
			}
		}
		name := func() string {
			names := make([]string, len(left))
			for i, at := range left {
				names[i] = open[at].name
			}
			return strings.Join(names, ", ")
		}
		what := fmt.Sprintf("%07b: %s", in, name())
		running := open[1].is(s.m)
		for len(left) > 0 {
			inner := left[len(left)-1]
			text := s.m.composer.Value()
			s.key("esc")
			if open[inner].name == "turn" {
				if s.f.stopped() != 1 {
					t.Fatalf("%s: Esc stopped the turn %d times", what, s.f.stopped())
				}
				s.key("esc") // a hasty second press
				s.deliver(event.TurnStopped{MessageIDs: []string{"x"}})
			}
			left = left[:len(left)-1]
			for i, o := range open {
				want := false
				for _, at := range left {
					want = want || at == i
				}
				if got := o.is(s.m); got != want {
					t.Fatalf("%s: after Esc at the %s: %s open %v", what, open[inner].name, o.name, got)
				}
			}
			if n := open[inner].name; n != "edit" && n != "recall" && s.m.composer.Value() != text {
				t.Fatalf("%s: Esc at the %s made %q of %q", what, n, s.m.composer.Value(), text)
			}
		}
		if want := map[bool]int{true: 1}[running]; s.f.stopped() != want {
			t.Fatalf("%s: %d stops", what, s.f.stopped())
		}
	}
	for _, o := range open {
		if were[o.name] < 16 {
			t.Errorf("the %s was open in %d combinations only", o.name, were[o.name])
		}
	}
}
