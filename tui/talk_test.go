package tui

import (
	"context"
	"strings"
	"testing"
	"time"

	"chatvault/agent/event"
	"chatvault/internal/app/session"
	"chatvault/tui/phrase"
)

// order checks that parts appear on the screen in the given sequence.
func (s *screen) order(parts ...string) {
	s.t.Helper()
	rest := s.text()
	for _, p := range parts {
		_, after, found := strings.Cut(rest, p)
		if !found {
			s.t.Fatalf("%q is missing, or stands above one of %q:\n%s", p, parts, s.text())
		}
		rest = after
	}
}

// If the previous conversation ended because it was idle, the line is drawn above the message that began the next.
func TestAnIdleConversationEndsAboveTheNewMessage(t *testing.T) {
	t.Parallel()
	s := newScreen(t, func(o *Options) {
		o.Load = func(context.Context) (session.Loaded, error) {
			return session.Loaded{Page: session.Page{ID: "c1", Items: []session.HistoryItem{{Role: session.HistoryUser, Content: "plan a tart"}, {Role: session.HistoryAssistant, Content: "It is planned."}}}}, nil
		}
	})
	s.typeText("what is new?")
	s.key("enter")
	s.deliver(event.Received{Message: s.f.sent[0]}, event.TurnStarted{MessageIDs: []string{"m1"}},
		event.ConversationEnded{ID: "c1", Reason: "idle"}, event.ConversationBegan{ID: "c2"},
		event.StateChanged{State: event.StateThinking}, event.TextDelta{Text: "Not much."}, event.TurnFinished{ConversationID: "c2"})
	s.order("It is planned.", "── New conversation · 12:00 PM ─", "· Before: “plan a tart”", "what is new?", "Not much.")
	s.deliver(event.ConversationTitled{ID: "c1", Title: "Planning a tart", Summary: "A tart was planned.\nFor Sunday."})
	s.order("It is planned.", "· Before: Planning a tart · A tart was planned. For Sunday.", "what is new?")
	s.lacks("“plan a tart”")
	s.key("ctrl+t")
	s.order("· Before: Planning a tart", "┊ A tart was planned.", "┊ For Sunday.", "what is new?")
	s.deliver(event.ConversationTitled{ID: "of another time", Title: "Else"})
	s.lacks("Else")
	// The next one is named after its own first words.
	s.deliver(event.ConversationEnded{ID: "c2", Reason: "agent"})
	s.order("Not much.", "── New conversation", "· Before: “what is new?”")
	if n := strings.Count(s.text(), "New conversation"); n != 2 {
		t.Errorf("%d lines:\n%s", n, s.text())
	}
}

// A message whose turn waits for another process is in the transcript before its turn begins.
func TestQueuedMessageIsBelowTheBoundary(t *testing.T) {
	t.Parallel()
	s := newScreen(t)
	s.ask("first")
	s.queue("second", "tab")
	s.deliver(event.ConversationBegan{ID: "c1"}, event.TextDelta{Text: "One."}, event.TurnFinished{}, event.ConversationEnded{ID: "c1", Reason: "agent"},
		event.TurnStarted{MessageIDs: []string{"m2"}}, event.ConversationBegan{ID: "c2"})
	s.order("first", "One.", "New conversation", "Before: “first”", "second")
}

// The transcript of a new conversation begins with one line, whenever the end of the previous one is reported.
func TestNewConversationDrawsOneLine(t *testing.T) {
	t.Parallel()
	for name, meanwhile := range map[string]bool{"nothing sent": false, "sent meanwhile": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var s *screen
			early := ""
			s = newScreen(t, func(o *Options) {
				conversationOf(o).begin = func(context.Context) error {
					if early != "" {
						s.deliver(event.ConversationEnded{ID: early, Reason: "new"})
					}
					if meanwhile {
						s.typeText("what is new?")
						s.key("enter")
					}
					return nil
				}
			})
			s.ask("plan a tart")
			s.deliver(event.ConversationBegan{ID: "c1"}, event.TextDelta{Text: "Done."}, event.TurnFinished{})
			s.command("/new")
			if !meanwhile {
				s.typeText("what is new?")
				s.key("enter")
			}
			s.deliver(event.ConversationEnded{ID: "c1", Reason: "new"}, event.Received{Message: s.f.sent[1]},
				event.TurnStarted{MessageIDs: []string{s.f.sent[1].ID}}, event.ConversationBegan{ID: "c2"}, event.TurnFinished{})
			s.order("New conversation", "what is new?")
			s.lacks("plan a tart", "Done.")
			early, meanwhile = "c2", false
			s.command("/new")
			s.lacks("what is new?")
			if n := strings.Count(s.text(), "New conversation"); n != 1 {
				t.Errorf("%d lines:\n%s", n, s.text())
			}
		})
	}
}

func TestDroppedQuestionIsClosed(t *testing.T) {
	t.Parallel()
	s := newScreen(t)
	offered(s, "this", "that")
	s.deliver(event.QuestionDropped{ConversationID: "c9", Question: "One of another conversation?"})
	s.wants("↑ ↓ or a number", "The agent asks", "› 1. this")
	s.deliver(event.QuestionDropped{ConversationID: "c1", Question: "Which one?"})
	s.wants("has expired", "Enter sends")
	s.lacks("or a number, or", "The agent asks", "› 1.")
	s.later()
	s.key("enter")
	s.typeText("2")
	s.key("enter")
	if got := s.sentTexts(); got[len(got)-1] != "2" {
		t.Errorf("sent %q", got)
	}
}

// The question is dropped when the turn that answers it begins: if the turn fails, it is not asked again.
func TestQuestionDroppedWhileItIsAnswered(t *testing.T) {
	t.Parallel()
	s := newScreen(t)
	offered(s, "this", "that")
	s.typeText("that")
	s.key("enter")
	id := s.f.sent[len(s.f.sent)-1].ID
	s.deliver(event.Received{Message: s.f.sent[len(s.f.sent)-1]}, event.TurnStarted{MessageIDs: []string{id}}, event.QuestionDropped{ConversationID: "c1", Question: "Which one?"})
	s.order("has expired", "▌ that")
	s.deliver(event.TurnFailed{MessageIDs: []string{id}, Text: "no network"})
	s.lacks("or a number, or", "The agent asks")
}

func TestDroppedQuestionInHistoryIsClosed(t *testing.T) {
	t.Parallel()
	for _, dropped := range []bool{false, true} {
		s := newScreen(t, func(o *Options) {
			o.Load = func(context.Context) (session.Loaded, error) {
				return session.Loaded{Page: session.Page{Items: []session.HistoryItem{
					{Role: session.HistoryUser, Content: "open it"}, {Role: session.HistoryQuestion, Content: "Which?", Options: []string{"this", "that"}, Waits: !dropped},
				}}}, nil
			}
		})
		s.wants("Which?", "1. this")
		if got := strings.Contains(s.text(), "or a number, or"); got == dropped {
			t.Errorf("dropped %v:\n%s", dropped, s.text())
		}
	}
}

func TestWhen(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		t    time.Time
		want string
	}{
		{time.Time{}, ""},
		{now.Add(-3 * time.Hour), "9:00 AM"},
		{now.Add(-13 * time.Hour), "Nov 20, 11:00 PM"},
		{now.AddDate(0, -10, 0), "Jan 21, 12:00 PM"},
		{now.AddDate(-1, 0, 0), "Nov 21, 2025"},
		{now.In(time.FixedZone("", 3600)), "12:00 PM"},
	} {
		if got := phrase.Time(tt.t, now); got != tt.want {
			t.Errorf("when(%v) = %q, want %q", tt.t, got, tt.want)
		}
	}
}
