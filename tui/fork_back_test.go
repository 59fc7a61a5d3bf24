package tui

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"chatvault/agent/event"
	"chatvault/internal/app/session"
)

// reaching is a conversation whose turns changed the vault.
type reaching struct {
	*way
	reach  session.Reach
	looked []string
	back   [][]string
	failed error
}

func newReaching() *reaching {
	r := &reaching{way: newWay(), reach: session.Reach{Turns: []string{"m4", "m2"}, Notes: 3, Back: []string{"Tart.md goes away", "a.md is restored", "b.md comes back"}}}
	return r
}

func (r *reaching) options(o *Options) {
	r.way.options(o)
	c := conversationOf(o)
	c.reach = func(_ context.Context, id string) (session.Reach, error) {
		r.looked = append(r.looked, id)
		return r.reach, r.failed
	}
	c.forkBack = func(ctx context.Context, id string, turns []string) (session.Moved, error) {
		r.back = append(r.back, turns)
		m, err := conversationOf(o).fork(ctx, id)
		m.Changed, m.Back, m.Kept = nil, []string{"removed Tart.md"}, []string{"a.md — somebody changed it since"}
		return m, err
	}
}

// edits edits the second message and sends it.
func (s *screen) edits() {
	s.command("/edit")
	s.key("down", "enter", "ctrl+u")
	s.typeText("in another way")
	s.key("enter")
	s.now = s.now.Add(time.Second) // the question ignores keys at first
}

func TestGoingBackOffersToTakeChangesBack(t *testing.T) {
	t.Parallel()
	r := newReaching()
	s := newScreen(t, r.options)
	s.edits()
	s.wants("The turns you leave changed 3 notes. Undo that too?", "Tart.md goes away", "b.md comes back", "› Keep the changes")
	if len(r.forked) != 0 || s.m.busy() || s.m.written() != "second, write it down\nin another way" {
		t.Fatalf("went back to %v before the answer; %q", r.forked, s.m.written())
	}
	s.key("up", "enter")
	if !slices.Equal(r.forked, []string{"m2"}) || len(r.back) != 1 || !slices.Equal(r.back[0], []string{"m4", "m2"}) || len(s.sentTexts()) != 1 {
		t.Fatalf("forked %v, took back %v, sent %q", r.forked, r.back, s.sentTexts())
	}
	s.wants("2 turns archived", "• Removed Tart.md", "Unchanged:", "• a.md — somebody changed it since", "in another way")
	s.lacks("are not undone")
}

func TestGoingBackAndLeavingTheNotes(t *testing.T) {
	t.Parallel()
	r := newReaching()
	s := newScreen(t, r.options)
	s.edits()
	s.key("enter")
	if len(r.forked) != 1 || len(r.back) != 0 || len(s.sentTexts()) != 1 {
		t.Fatalf("forked %v, took back %v, sent %q", r.forked, r.back, s.sentTexts())
	}
	s.wants("are not undone", `Created file "Tart.md"`)
}

// Esc and the corresponding choice cancel going back, and editing continues.
func TestQuestionCanBeDropped(t *testing.T) {
	t.Parallel()
	for _, leave := range [][]string{{"esc"}, {"down", "enter"}, {"ctrl+c"}} {
		r := newReaching()
		s := newScreen(t, r.options)
		s.edits()
		s.key(leave...)
		if len(r.forked) != 0 || len(s.sentTexts()) != 0 || s.m.editing == nil || s.m.composer.Value() != "second, write it down\nin another way" {
			t.Errorf("%v: forked %v, the composer holds %q", leave, r.forked, s.m.composer.Value())
		}
		s.key("enter") // and it asks again
		s.now = s.now.Add(time.Second)
		s.wants("Undo that too?")
	}
}

// If the changes cannot be determined, the question is skipped; other events in between do not lose the text.
func TestUnknownChangesSkipTheQuestion(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*reaching){
		"nothing changed": func(r *reaching) { r.reach = session.Reach{} },
		"no journal":      func(r *reaching) { r.failed = errors.New("no journal") },
	} {
		r := newReaching()
		change(r)
		s := newScreen(t, r.options)
		s.edits()
		if len(r.forked) != 1 || len(s.sentTexts()) != 1 || len(r.looked) != 1 {
			t.Errorf("%s: looked %v, forked %v, sent %q", name, r.looked, r.forked, s.sentTexts())
		}
		s.lacks("Undo that too?")
	}

	r := newReaching()
	s := newScreen(t, r.options)
	s.edits()
	in := event.Inbound{ID: "w1", Text: "from afar", Source: event.SourceWebSocket}
	s.deliver(event.Received{Message: in}, event.TurnStarted{MessageIDs: []string{"w1"}})
	s.key("enter")
	if len(r.forked) != 0 || s.m.editing == nil {
		t.Errorf("went back to %v while a turn runs", r.forked)
	}
	s.wants("Not sent: a turn is running")

	// Quitting during the question keeps the text.
	r = newReaching()
	var draft string
	s = newScreen(t, r.options, func(o *Options) { draftsOf(o).save = func(text string) { draft = text } })
	s.edits()
	s.key("ctrl+d")
	if !s.quit || draft != "second, write it down\nin another way" {
		t.Errorf("quit %v, the draft is %q", s.quit, draft)
	}
}

func TestManyChangesScroll(t *testing.T) {
	t.Parallel()
	r := newReaching()
	r.reach.Notes, r.reach.Back = 1, nil
	for i := range 12 {
		r.reach.Back = append(r.reach.Back, fmt.Sprintf("n%d.md goes away", i))
	}
	s := newScreen(t, r.options)
	s.edits()
	s.wants("changed 1 note.", "n2.md goes away", "↓")
	s.key("end")
	s.wants("n11.md goes away")
}
