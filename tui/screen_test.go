package tui

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/colorprofile"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"chatvault/agent/event"

	"chatvault/tui/keys"
)

// screen drives a Model without a terminal: commands run immediately, ticks do not arrive, and blocked commands are
// abandoned.
type screen struct {
	t    testing.TB
	m    *Model
	f    *fakeProcessor
	quit bool
	now  time.Time
}

func newScreen(t testing.TB, change ...func(*Options)) *screen {
	s := &screen{t: t, f: newFake(), now: time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)}
	o := Options{
		Processor: s.f, Events: s.f, VaultName: "Garden notes", VaultDir: "/notes", Engine: Engine{Provider: "offline engine"},
		Screen: Screen{ColorProfile: colorprofile.TrueColor}, Now: func() time.Time { return s.now },
	}
	for _, c := range change {
		c(&o)
	}
	s.m = New(context.Background(), o)
	s.m.tick = func(time.Duration, func(time.Time) tea.Msg) tea.Cmd { return nil } // the test controls time
	s.send(tea.WindowSizeMsg{Width: 80, Height: 24})
	return s
}

func (s *screen) send(msg tea.Msg) {
	_, cmd := s.m.Update(msg)
	s.run(cmd)
}

// run runs a short command and handles its messages.
func (s *screen) run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	got := make(chan tea.Msg, 1)
	go func() { got <- cmd() }()
	select {
	case msg := <-got:
		switch msg := msg.(type) {
		case nil:
		case tea.BatchMsg:
			for _, c := range msg {
				s.run(c)
			}
		case tea.QuitMsg:
			s.quit = true
		default:
			s.send(msg)
		}
	case <-time.After(30 * time.Second):
		s.t.Error("a command does not end")
	}
}

func (s *screen) key(names ...string) {
	for _, n := range names {
		s.send(keyOf(n))
	}
}

func (s *screen) typeText(text string) {
	s.send(keys.Typed(text))
}

// deliver plays the agent.
func (s *screen) deliver(events ...event.Event) {
	for _, e := range events {
		s.run(s.m.event(e))
	}
	s.m.dirty = true
}

func (s *screen) text() string { return ansi.Strip(s.m.View().Content) }

func (s *screen) wants(parts ...string) {
	s.t.Helper()
	for _, p := range parts {
		if !strings.Contains(s.text(), p) {
			s.t.Fatalf("the screen does not show %q:\n%s", p, s.text())
		}
	}
}

func (s *screen) lacks(parts ...string) {
	s.t.Helper()
	for _, p := range parts {
		if strings.Contains(s.text(), p) {
			s.t.Fatalf("the screen shows %q:\n%s", p, s.text())
		}
	}
}

// ask sends a message and starts its turn.
func (s *screen) ask(text string) {
	s.t.Helper()
	s.typeText(text)
	s.key("enter")
	id := s.f.sent[len(s.f.sent)-1].ID
	s.deliver(event.Received{Message: s.f.sent[len(s.f.sent)-1]}, event.TurnStarted{MessageIDs: []string{id}},
		event.StateChanged{State: event.StateThinking})
}

func keyOf(name string) tea.KeyPressMsg {
	if spelt, err := keys.Spell(name); err == nil {
		return keys.Press(spelt)
	}
	return keys.Typed(name)
}
