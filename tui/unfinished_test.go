package tui

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"chatvault/agent/event"
	"chatvault/agent/llm"
	"chatvault/internal/app/session"
)

// inbox is a fake session.InboxActions.
type inbox struct {
	list             []session.Unfinished
	retried, dropped []string
	refuse           error
}

func (b *inbox) options(o *Options) {
	inboxOf(o).list = func(context.Context) ([]session.Unfinished, error) { return slices.Clone(b.list), nil }
	inboxOf(o).retry = func(_ context.Context, id string) error { b.retried = append(b.retried, id); return b.take(id) }
	inboxOf(o).drop = func(_ context.Context, id string) error { b.dropped = append(b.dropped, id); return b.take(id) }
	at := slices.Clone(b.list)
	o.Load = func(context.Context) (session.Loaded, error) { return session.Loaded{Unfinished: at}, nil }
}

func (b *inbox) take(id string) error {
	if b.refuse != nil {
		return b.refuse
	}
	b.list = slices.DeleteFunc(b.list, func(u session.Unfinished) bool { return u.Message.ID == id })
	return nil
}

func three() *inbox {
	return &inbox{list: []session.Unfinished{
		{Message: event.Inbound{ID: "a", Text: "move the recipes"}, Attempts: 1, ToolsRan: true, Changes: []string{"edited Bread.md"}},
		{Message: event.Inbound{ID: "b", Text: "second one"}, Attempts: 2, LastError: "Network error."},
		{Message: event.Inbound{ID: "c", Text: "third one"}},
	}}
}

// Unfinished messages are mentioned at the start and listed by /inbox.
func TestUnfinishedMessagesAreOffered(t *testing.T) {
	b := three()
	s := newScreen(t, b.options)
	s.wants("3 messages not finished:", "move the recipes · cut short as chatvault ended, after it changed", "second one · Network error", "/inbox runs, edits or discards them")
	s.command("/inbox")
	s.wants("› move the recipes", "Cut short as chatvault ended, after it changed", "second one", "Network error")
	s.key("enter")
	s.wants("move the recipes", "edited Bread.md by then", "› Back")
	if len(b.retried) > 0 {
		t.Fatalf("retried %v", b.retried)
	}
	s.key("down", "enter")
	if !slices.Equal(b.retried, []string{"a"}) {
		t.Fatalf("retried %v", b.retried)
	}
	s.command("/inbox")
	s.lacks("› move the recipes")
	s.key("down", "enter")
	s.wants("› Try it now")
	s.key("enter")
	if !slices.Equal(b.retried, []string{"a", "c"}) {
		t.Fatalf("retried %v", b.retried)
	}
	s.command("/inbox")
	s.lacks("third one")
	s.key("enter", "down", "down", "enter")
	if !slices.Equal(b.dropped, []string{"b"}) {
		t.Errorf("dropped %v", b.dropped)
	}
	s.wants("Discarded: “second one” · ↑ brings its text back")
	s.key("up")
	if got := s.m.composer.Value(); got != "second one" {
		t.Errorf("↑ brings back %q", got)
	}
}

// Editing moves a message from the inbox to the composer.
func TestUnfinishedMessagesAreEdited(t *testing.T) {
	b := &inbox{list: []session.Unfinished{{Message: event.Inbound{ID: "p", Text: "sort them", Mode: event.ModePlan}, Attempts: 1, LastError: "Network error."}}}
	s := newScreen(t, b.options)
	s.wants("1 message not finished:", "sort them · Network error", "/inbox runs, edits or discards them")
	s.command("/inbox")
	s.key("enter", "down", "enter")
	if got := s.m.composer.Value(); got != "/plan sort them" || !slices.Equal(b.dropped, []string{"p"}) {
		t.Errorf("the composer holds %q, dropped %v", got, b.dropped)
	}
}

// Only recent messages that started no tool run again without asking.
func TestFreshMessagesAreResumed(t *testing.T) {
	s := newScreen(t)
	fresh := func(id string) session.Unfinished {
		return session.Unfinished{Message: event.Inbound{ID: id, Text: "message " + id, Source: event.SourceDirect, Time: s.now.Add(-time.Second)}, Attempts: 1, Same: true}
	}
	old, failed, again, routed := fresh("old"), fresh("failed"), fresh("again"), fresh("routed")
	old.Message.Time = s.now.Add(-2 * time.Minute)
	failed.LastError, again.Attempts, routed.Message.Source = "API key is missing or invalid.", 2, event.SourceWebSocket
	b := &inbox{list: []session.Unfinished{fresh("one"), old, failed, fresh("two"), again, routed}}
	s = newScreen(t, b.options)
	if !slices.Equal(b.retried, []string{"one", "two"}) {
		t.Errorf("retried %v", b.retried)
	}
	s.wants("4 messages not finished:")
	s.command("/inbox")
	s.wants("message old", "Cut short", "message failed", "API key is missing or invalid", "message again", "message routed")
	s.lacks("message one", "message two")
}

// /inbox and /retry read the current inbox.
func TestInboxIsReadAfresh(t *testing.T) {
	b := &inbox{}
	s := newScreen(t, b.options)
	s.ask("hello")
	s.deliver(event.TurnFailed{MessageIDs: []string{"m1"}, Code: llm.KindRateLimit, Text: "Too many requests. Please try again in a moment.\nThe provider said: slow down"})
	s.wants("✗ Too many requests", "slow down", "/retry tries your message again.")
	b.list = []session.Unfinished{{Message: s.f.sent[0], Attempts: 1, LastError: "Too many requests", LastTried: s.now}}
	s.ask("another")
	s.deliver(event.TurnStopped{MessageIDs: []string{"m2"}})
	s.typeText("/inbox")
	s.key("enter")
	s.wants("› hello", "Too many requests")
	s.key("esc")
	s.typeText("/retry")
	s.key("enter")
	if !slices.Equal(b.retried, []string{"m1"}) || len(s.f.sent) != 2 {
		t.Errorf("retried %v, sent %d", b.retried, len(s.f.sent))
	}
	s.typeText("/retry")
	s.key("enter")
	s.wants("Nothing to retry")
	s.typeText("/inbox")
	s.key("enter")
	s.wants("There are no unfinished messages")
}

// ↑ restores a retried message that was stopped, not the command.
func TestRetriedMessageComesBack(t *testing.T) {
	b := &inbox{list: []session.Unfinished{{Message: event.Inbound{ID: "old", Text: "sort them", Mode: event.ModePlan}, Attempts: 1, LastError: "x", LastTried: time.Unix(1, 0)}}}
	s := newScreen(t, b.options)
	s.key("esc")
	s.typeText("/retry")
	s.key("enter")
	s.deliver(event.TurnStarted{MessageIDs: []string{"old"}}, event.TurnStopped{MessageIDs: []string{"old"}})
	s.wants("↑ brings the message back")
	s.key("up")
	if got := s.m.composer.Value(); got != "/plan sort them" {
		t.Errorf("↑ brings back %q", got)
	}
}

func TestRetryAfterARestart(t *testing.T) {
	b := &inbox{list: []session.Unfinished{
		{Message: event.Inbound{ID: "old", Text: "older"}, Attempts: 1, LastError: "x", LastTried: time.Unix(1, 0)},
		{Message: event.Inbound{ID: "new", Text: "newer"}, Attempts: 1, LastError: "x", LastTried: time.Unix(2, 0)},
		{Message: event.Inbound{ID: "never", Text: "never begun"}},
	}}
	s := newScreen(t, b.options)
	s.typeText("/retry")
	s.key("enter")
	if !slices.Equal(b.retried, []string{"new"}) {
		t.Errorf("retried %v, want what was tried last", b.retried)
	}
}

func TestRetryAsksIfNotesWereChanged(t *testing.T) {
	b := three()
	b.list = b.list[:1]
	s := newScreen(t, b.options)
	s.typeText("/retry")
	s.key("enter")
	s.wants("edited Bread.md by then")
	if len(b.retried) != 0 {
		t.Error("retried without a word")
	}
}

func TestMessageTakenByAnotherChatIsReported(t *testing.T) {
	b := three()
	b.refuse = errors.New("another open chatvault window has taken it")
	s := newScreen(t, b.options)
	s.command("/inbox")
	s.key("enter", "down", "enter")
	s.wants("“move the recipes” was not tried again: another open chatvault")
}
