package tui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"chatvault/agent/event"
)

// queue sends a text by a key during a turn and delivers its Received event.
func (s *screen) queue(text, key string) event.Inbound {
	s.t.Helper()
	s.typeText(text)
	s.key(key)
	in := s.f.sent[len(s.f.sent)-1]
	s.deliver(event.Received{Message: in, Queued: true})
	return in
}

func (s *screen) lineWith(part string) string {
	s.t.Helper()
	for _, l := range strings.Split(s.text(), "\n") {
		if strings.Contains(l, part) {
			return l
		}
	}
	s.t.Fatalf("no line shows %q:\n%s", part, s.text())
	return ""
}

func TestQueuedMessageDestination(t *testing.T) {
	typed := event.Inbound{Source: event.SourceDirect}
	held, plan, routed, goal := typed, typed, typed, typed
	held.Hold, plan.Mode, routed.Source, goal.Source = true, event.ModePlan, event.SourceWebSocket, event.SourceGoal
	tests := []struct {
		name string
		open bool
		in   event.Inbound
		want bool
	}{
		{"typed", true, typed, true},
		{"typed, nothing takes it", false, typed, false},
		{"held", true, held, false},
		{"held, nothing takes it", false, held, false},
		{"a plan", true, plan, false},
		{"routed", true, routed, false},
		{"toward the goal", true, goal, false},
	}
	for _, tt := range tests {
		if got := joins(tt.open, tt.in); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

// Enter adds a message to the running turn, Tab queues it for the next; each shows its destination.
func TestEnterAddsAndTabHolds(t *testing.T) {
	s := newScreen(t)
	s.ask("first")
	second, third := s.queue("second", "enter"), s.queue("third", "tab")
	if second.Hold || !third.Hold {
		t.Fatalf("held: %v and %v, want only what Tab sent", second.Hold, third.Hold)
	}
	if l := s.lineWith("↳ second"); !strings.HasSuffix(l, "→ this turn") {
		t.Errorf("%q", l)
	}
	if l := s.lineWith("↳ third"); !strings.HasSuffix(l, "→ next turn · ↑ takes it back") {
		t.Errorf("%q", l)
	}
	s.lacks("▌ second")

	s.deliver(event.StateChanged{State: event.StateActing}, event.ToolStarted{ID: "t", Name: "read_file", Target: "a.md"},
		event.ToolFinished{ID: "t", Name: "read_file", Summary: "3 lines"}, event.StateChanged{State: event.StateObserving},
		event.Folded{MessageIDs: []string{second.ID}}, event.StateChanged{State: event.StateThinking})
	s.wants("▌ second · added to the turn", "↳ third")
	s.lacks("↳ second")

	s.deliver(event.TextDelta{Text: "Both done."}, event.TurnFinished{}, event.TurnStarted{MessageIDs: []string{third.ID}})
	s.wants("▌ third")
	s.lacks("↳ third", "third  added")
}

func TestTabWithoutATurnSendsNothing(t *testing.T) {
	s := newScreen(t)
	s.typeText("a thought")
	s.key("tab")
	if len(s.f.sent) != 0 || s.m.composer.Value() != "a thought" {
		t.Errorf("sent %d, composer %q", len(s.f.sent), s.m.composer.Value())
	}
}

// Messages that did not join the turn in time go to the next.
func TestTheQueueGoesToTheNextTurnWhenThisOneEnds(t *testing.T) {
	s := newScreen(t)
	s.ask("first")
	in := s.queue("second", "enter")
	s.wants("→ this turn")
	s.deliver(event.TurnFinished{})
	if l := s.lineWith("↳ second"); !strings.Contains(l, "→ next turn") {
		t.Errorf("%q", l)
	}
	s.deliver(event.TurnStarted{MessageIDs: []string{in.ID}})
	s.wants("▌ second")
	s.lacks("added to the turn")
}

// A message sent directly after another, before the first model call, looks like one sent with it.
func TestAMessageSentRightAfterAnother(t *testing.T) {
	s := newScreen(t)
	s.typeText("first")
	s.key("enter")
	s.typeText("oh, and second")
	s.key("enter")
	s.wants("▌ first", "↳ oh, and second", "→ this turn")
	s.deliver(event.Received{Message: s.f.sent[0]}, event.Received{Message: s.f.sent[1], Queued: true},
		event.TurnStarted{MessageIDs: []string{"m1"}}, event.Folded{MessageIDs: []string{"m2"}},
		event.StateChanged{State: event.StateThinking})
	s.wants("▌ oh, and second")
	s.lacks("↳", "added to the turn")
}

// A queued routed message is labelled and cannot be taken back: ↑ takes back the user's own.
func TestARoutedMessageWaits(t *testing.T) {
	s := newScreen(t)
	s.ask("first")
	s.queue("my own words", "tab")
	routed := func(id, text, input string) {
		s.deliver(event.Received{Queued: true, Message: event.Inbound{
			ID: id, Text: text, Source: event.SourceWebSocket, Metadata: map[string]string{event.MetaInput: input},
		}})
	}
	routed("w1", "put rye on the list", "voice")
	if l := s.lineWith("put rye"); !strings.Contains(l, "↳ voice: put rye on the list") || !strings.Contains(l, "→ next turn") || strings.Contains(l, "takes it back") {
		t.Errorf("%q", l)
	}
	if l := s.lineWith("my own words"); !strings.Contains(l, "↑ takes it back") {
		t.Errorf("%q", l)
	}
	for _, id := range []string{"w2", "w3", "w4"} {
		routed(id, "routed "+id, "text")
	}
	s.wants("… 2 more", "routed: routed w4")
	s.key("up")
	s.written("my own words")
	s.lacks("↑ takes it back")
	s.key("ctrl+u", "up") // no own message is queued, so ↑ browses the history
	s.wants("… 1 more", "routed: routed w4")
}

// The turn of a routed message accepts no typed messages.
func TestRoutedTurnAcceptsNoMessages(t *testing.T) {
	s := newScreen(t)
	s.deliver(event.Received{Message: event.Inbound{ID: "w1", Text: "from afar", Source: event.SourceWebSocket}},
		event.TurnStarted{MessageIDs: []string{"w1"}}, event.StateChanged{State: event.StateThinking})
	s.queue("mine", "enter")
	if l := s.lineWith("↳ mine"); !strings.Contains(l, "→ next turn") {
		t.Errorf("%q", l)
	}
}

func TestTakingBack(t *testing.T) {
	s := newScreen(t)
	s.ask("first")
	s.queue("second", "enter")
	s.queue("third", "tab")
	s.key("up")
	if got := s.m.composer.Value(); got != "third" {
		t.Fatalf("↑ takes back %q, want the last", got)
	}
	s.lacks("↳ third", "takes it back") // the composer is not empty
	s.key("ctrl+u", "up")
	if got := s.m.composer.Value(); got != "second" {
		t.Errorf("↑ takes back %q", got)
	}
	s.lacks("↳")
}

// Two presses before the first is done take back two messages.
func TestTakingBackTwiceQuickly(t *testing.T) {
	s := newScreen(t)
	s.ask("first")
	s.queue("second", "enter")
	s.queue("third", "enter")
	_, one := s.m.Update(keyOf("up"))
	_, two := s.m.Update(keyOf("up"))
	s.run(one)
	s.run(two)
	if got := s.m.composer.Value(); got != "second\nthird" {
		t.Errorf("took back %q", got)
	}
	s.lacks("It went into")
}

func TestTakingBackTooLateIsReported(t *testing.T) {
	s := newScreen(t)
	s.ask("first")
	in := s.queue("second", "enter")
	s.f.gone[in.ID] = true
	s.key("up")
	if got := s.m.composer.Value(); got != "" {
		t.Errorf("took back %q", got)
	}
	s.wants("It was already added to the turn.", "↳ second")
	s.deliver(event.Folded{MessageIDs: []string{in.ID}})
	s.wants("▌ second")
	s.lacks("↳ second")
}

// Stopping a turn with queued messages tells that they come next, before and after; those meant for the turn go to
// the next.
func TestStoppingWithAQueueShowsWhatFollows(t *testing.T) {
	s := newScreen(t)
	s.ask("first")
	s.queue("second", "enter")
	s.queue("third", "enter")
	s.wants("Esc stops", "→ this turn")
	s.key("esc")
	s.wants("Stopping… then running 2 queued messages (↑ takes one back)", "→ next turn")
	s.lacks("→ this turn")
	s.key("up")
	s.wants("then running the queued message")
	s.key("ctrl+u")
	s.deliver(event.TurnStopped{MessageIDs: []string{"m1"}})
	s.wants("■ Stopped · continuing with the queued message")
}

// Messages that joined a stopped turn return like any other.
func TestStoppingATurnWithSeveralMessages(t *testing.T) {
	s := newScreen(t)
	s.ask("first")
	in := s.queue("second", "enter")
	s.deliver(event.StateChanged{State: event.StateThinking}, event.Folded{MessageIDs: []string{in.ID}})
	s.key("esc")
	s.deliver(event.TurnStopped{MessageIDs: []string{"m1", in.ID}})
	s.wants("■ Stopped · ↑ brings the message back")
	s.key("up")
	if got := s.m.composer.Value(); got != "second" {
		t.Errorf("↑ brings back %q", got)
	}
	s.key("up")
	if got := s.m.composer.Value(); got != "first" {
		t.Errorf("↑ brings back %q", got)
	}
}

// In a long queue the newest messages stay visible.
func TestLongQueueIsLimited(t *testing.T) {
	s := newScreen(t)
	s.ask("first")
	for _, text := range []string{"one", "two", "three", "four", "five"} {
		s.queue(text, "enter")
	}
	s.wants("… 2 more", "↳ three", "↳ four", "↳ five")
	s.lacks("↳ one", "↳ two")
	s.send(tea.WindowSizeMsg{Width: 30, Height: 24})
	if l := s.lineWith("↳ five"); !strings.HasSuffix(l, "→ this turn") {
		t.Errorf("on a narrow screen: %q", l)
	}
	s.send(tea.WindowSizeMsg{Width: 14, Height: 24})
	s.wants("↳ five")
	s.lacks("→")
}

// A message being stored has no destination yet.
func TestMessageBeingSavedIsMarked(t *testing.T) {
	s := newScreen(t)
	s.ask("first")
	s.typeText("second")
	_, saving := s.m.Update(keyOf("enter"))
	s.wants("↳ second", "saving")
	s.lacks("→ this turn")
	s.run(saving)
	s.wants("→ this turn")
}
