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
			return session.Loaded{Page: session.Page{Items: []session.HistoryItem{{Role: session.HistoryUser, Content: "plan a tart"}, {Role: session.HistoryAssistant, Content: "It is planned."}}}}, nil
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
	s.deliver(event.TextDelta{Text: "One."}, event.TurnFinished{}, event.ConversationEnded{ID: "c1", Reason: "agent"},
		event.TurnStarted{MessageIDs: []string{"m2"}}, event.ConversationBegan{ID: "c2"})
	s.order("first", "One.", "New conversation", "Before: “first”", "second")
}

func TestNewConversationDrawsOneLine(t *testing.T) {
	t.Parallel()
	s := newScreen(t, func(o *Options) { conversationOf(o).begin = func(context.Context) error { return nil } })
	s.ask("plan a tart")
	s.deliver(event.TextDelta{Text: "Done."}, event.TurnFinished{})
	s.command("/new")
	s.order("Done.", "New conversation", "Before: “plan a tart”")
	s.command("/new")
	s.wants("Your next message already starts")
	s.typeText("what is new?")
	s.key("enter")
	s.deliver(event.Received{Message: s.f.sent[1]}, event.TurnStarted{MessageIDs: []string{"m2"}},
		event.ConversationEnded{ID: "c1", Reason: "new"}, event.ConversationBegan{ID: "c2"})
	if n := strings.Count(s.text(), "New conversation"); n != 1 {
		t.Errorf("%d lines:\n%s", n, s.text())
	}
	s.deliver(event.ConversationTitled{ID: "c1", Title: "Planning a tart"})
	s.order("Done.", "New conversation", "Before: Planning a tart", "what is new?")
}

// The end of a conversation may be reported before the command that ended it returns: only one line is drawn, below
// the old messages and above those sent in the meantime.
func TestNewConversationDrawsOneLineInAnyEventOrder(t *testing.T) {
	t.Parallel()
	for name, meanwhile := range map[string]bool{"nothing sent": false, "sent meanwhile": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var s *screen
			var ended string
			s = newScreen(t, func(o *Options) {
				conversationOf(o).begin = func(context.Context) error {
					s.deliver(event.ConversationEnded{ID: ended, Reason: "new"})
					if meanwhile && ended == "c1" {
						s.typeText("what is new?")
						s.key("enter")
					}
					return nil
				}
			})
			ended = "c1"
			s.ask("plan a tart")
			s.deliver(event.ConversationBegan{ID: "c1"}, event.TextDelta{Text: "Done."}, event.TurnFinished{})
			s.command("/new")
			parts := []string{"Done.", "New conversation", "Before: “plan a tart”"}
			if meanwhile {
				parts = append(parts, "what is new?")
			}
			s.order(parts...)
			if n := strings.Count(s.text(), "New conversation"); n != 1 {
				t.Errorf("%d lines:\n%s", n, s.text())
			}
			if !meanwhile {
				s.command("/new")
				s.wants("Your next message already starts")
				s.m.hint = ""
				s.typeText("what is new?")
				s.key("enter")
			}
			s.deliver(event.TurnStarted{MessageIDs: []string{"m2"}}, event.ConversationBegan{ID: "c2"}, event.TurnFinished{})
			ended = "c2"
			s.command("/new") // and the next line is drawn as well
			if n := strings.Count(s.text(), "New conversation"); n != 2 {
				t.Errorf("%d lines of two:\n%s", n, s.text())
			}
		})
	}
}

// A conversation from another process has no name until it has a title.
func TestAConversationFromElsewhere(t *testing.T) {
	t.Parallel()
	s := newScreen(t)
	s.typeText("hello")
	s.key("enter")
	s.deliver(event.Received{Message: s.f.sent[0]}, event.ConversationEnded{ID: "c0", Reason: "idle"}, event.TurnStarted{MessageIDs: []string{"m1"}})
	s.order("New conversation", "▌ hello")
	s.lacks("Before")
	s.deliver(event.ConversationTitled{ID: "c0", Title: "Asked in a shell"})
	s.order("New conversation", "Before: Asked in a shell", "▌ hello")
}

// Going back in a conversation keeps the items above it.
func TestGoingBackKeepsWhatIsAbove(t *testing.T) {
	t.Parallel()
	w := newWay()
	s := newScreen(t, w.options, func(o *Options) { conversationOf(o).begin = func(context.Context) error { return nil } })
	s.command("/new")
	s.ask("something else")
	s.deliver(event.TurnFinished{})
	w.history = []session.HistoryItem{{Role: session.HistoryUser, Content: "something else", ID: "n1", Turn: "n1"}}
	s.command("/edit")
	s.key("enter", "enter")
	s.m.list.Home()
	s.m.dirty = true
	s.order("first, plan a tart", "You are welcome.", "New conversation")
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
