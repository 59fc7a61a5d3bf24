package tui

import (
	"context"
	"errors"
	"testing"
	"time"

	"chatvault/agent/event"
	"chatvault/conversation"
	"chatvault/internal/app/session"
)

// resuming returns a screen with a single ended conversation in its list, which it continues.
func resuming(t *testing.T, err error, loaded session.Loaded) (*screen, *[]string) {
	var asked []string
	ended := time.Date(2026, 11, 3, 9, 0, 0, 0, time.UTC)
	s := newScreen(t, func(o *Options) {
		o.Load = func(context.Context) (session.Loaded, error) { return loaded, nil }
		conversationOf(o).begin = func(context.Context) error { return nil }
		conversationOf(o).history = func(context.Context) ([]session.HistoryItem, error) { return nil, nil }
		conversationOf(o).fork = func(context.Context, string) (session.Moved, error) { return session.Moved{}, nil }
		o.Conversations = &fakeConversations{
			list: func(context.Context) ([]session.Past, error) {
				return []session.Past{{Entry: conversation.Entry{ID: "p", Title: "The fence", Ended: ended, Turns: 2}}}, nil
			},
			read: func(context.Context, string) ([]session.HistoryItem, error) { return nil, nil },
			goOn: func(_ context.Context, id string) (session.Page, error) {
				asked = append(asked, id)
				return session.Page{ID: "p", Items: []session.HistoryItem{
					{Role: session.HistoryUser, Content: "how high?", ID: "t1", Turn: "t1"},
					{Role: session.HistoryQuestion, Content: "In metres?", Options: []string{"yes", "no"}, Waits: true},
				}}, err
			},
		}
	})
	return s, &asked
}

func (s *screen) continueFirst() {
	s.typeText("/conversations")
	s.key("enter", "enter", "down", "enter")
}

func TestContinueAConversation(t *testing.T) {
	s, asked := resuming(t, nil, session.Loaded{Page: session.Page{Items: []session.HistoryItem{{Role: session.HistoryUser, Content: "and the gate?", ID: "g", Turn: "g"}}}})
	s.continueFirst()
	if len(*asked) != 1 || (*asked)[0] != "p" {
		t.Fatalf("continued %q", *asked)
	}
	s.wants("how high?", "In metres?")
	s.lacks("and the gate?", "New conversation")
	if !s.m.state.Question.Asked || s.m.busy() {
		t.Error("its question does not wait, or something runs")
	}
	// The end of the previous one draws nothing.
	s.deliver(event.ConversationEnded{ID: "old", Reason: "new"}, event.ConversationBegan{ID: "p"}, event.ConversationTitled{ID: "old", Title: "The gate"})
	s.lacks("The gate", "New conversation")
	s.ask("a metre and a half")
	s.wants("a metre and a half")
}

// The processor's events may arrive first.
func TestContinueAfterItsEvents(t *testing.T) {
	s, _ := resuming(t, nil, session.Loaded{Page: session.Page{Items: []session.HistoryItem{{Role: session.HistoryUser, Content: "and the gate?", ID: "g", Turn: "g"}}}})
	s.deliver(event.ConversationEnded{ID: "old", Reason: "new"}, event.ConversationBegan{ID: "p"})
	s.continueFirst()
	if got := s.m.list.Len(); got != 2 {
		t.Errorf("%d items", got)
	}
}

func TestContinueFails(t *testing.T) {
	s, _ := resuming(t, errors.New("it has been removed"), session.Loaded{})
	s.continueFirst()
	s.wants("Not opened: it has been removed")
	if s.m.busy() {
		t.Error("it still runs")
	}
	s, asked := resuming(t, nil, session.Loaded{})
	s.ask("wait")
	s.continueFirst()
	s.wants("A turn is running: stop it with Esc, or wait")
	if len(*asked) != 0 {
		t.Error("continued while a turn runs")
	}
}
