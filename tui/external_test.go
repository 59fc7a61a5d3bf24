package tui

import (
	"context"
	"errors"
	"strings"
	"testing"

	"chatvault/agent/event"
	"chatvault/internal/session"
)

// other is another process: what it made of the conversation.
type other struct {
	page    session.Page
	changed bool
	err     error
	asked   []bool
}

func (o *other) options(opt *Options) {
	opt.Load = func(context.Context) (session.Loaded, error) {
		return session.Loaded{ID: "c1", History: []session.HistoryItem{{Role: session.HistoryUser, Content: "how high?", ID: "m1", Turn: "m1"}, {Role: session.HistoryAssistant, Content: "A metre."}}}, nil
	}
	conversationOf(opt).begin = func(context.Context) error { return nil }
	conversationOf(opt).external = func(_ context.Context, again bool) (session.Page, bool, error) {
		o.asked = append(o.asked, again)
		p, changed, err := o.page, o.changed || again, o.err
		o.changed, o.err = false, nil
		return p, changed, err
	}
}

func said2(id string, texts ...string) session.Page {
	p := session.Page{ID: id}
	for i, text := range texts {
		turn := id + string(rune('a'+i))
		p.Items = append(p.Items, session.HistoryItem{Role: session.HistoryUser, Content: text, ID: turn, Turn: turn})
	}
	return p
}

// What another process said in the conversation is shown in its place; another conversation stands
// below a line.
func TestAnotherProcessGoesOn(t *testing.T) {
	o := &other{}
	s := newScreen(t, o.options)
	s.wants("A metre.")
	s.send(pollExternalMsg{})
	if s.m.dirty {
		t.Error("it is drawn anew where nothing was said")
	}
	s.lacks("Another chatvault")
	o.page, o.changed = said2("c1", "how high?", "and how long?"), true
	s.send(pollExternalMsg{})
	s.wants("and how long?", "Another chatvault window worked in this vault")
	s.lacks("New conversation")
	if n := strings.Count(s.text(), "how high?"); n != 1 {
		t.Errorf("shown %d times:\n%s", n, s.text())
	}

	o.page, o.changed = said2("c2", "what of the plums?"), true
	s.send(pollExternalMsg{})
	s.order("and how long?", "New conversation", "Before: “how high?”", "what of the plums?")
	s.deliver(event.ConversationTitled{ID: "c1", Title: "The fence"})
	s.wants("Before: The fence")

	// It was ended, and the next message begins another.
	o.page, o.changed = session.Page{}, true
	s.send(pollExternalMsg{})
	s.wants("Before: “what of the plums?”")
	s.command("/new")
	s.wants("Your next message already starts")
	s.ask("mine")
	s.deliver(event.ConversationBegan{ID: "c3"}, event.TurnFinished{ConversationID: "c3", Result: event.Result{Success: true, Response: "ok"}})
	if n := strings.Count(s.text(), "New conversation"); n != 2 {
		t.Errorf("%d lines:\n%s", n, s.text())
	}
	o.page, o.changed = said2("c3", "mine", "theirs"), true
	s.send(pollExternalMsg{})
	s.order("New conversation", "mine", "theirs")
	if n := strings.Count(s.text(), "New conversation"); n != 2 {
		t.Errorf("%d lines:\n%s", n, s.text())
	}
}

// Nothing is shown anew under what the user is doing, and nothing is forgotten.
func TestAnotherProcessDisturbsNobody(t *testing.T) {
	o := &other{}
	s := newScreen(t, o.options)
	s.ask("wait")
	s.send(pollExternalMsg{})
	if len(o.asked) != 0 {
		t.Error("it was asked while a turn ran")
	}
	// The answer comes when a turn has begun.
	s.m.externalChange(said2("c1", "theirs"), nil)
	s.lacks("theirs")
	s.deliver(event.TurnFinished{ConversationID: "c1", Result: event.Result{Success: true, Response: "ok"}})
	o.page = said2("c1", "how high?", "theirs", "wait")
	s.send(pollExternalMsg{})
	s.order("how high?", "theirs", "wait")
	if len(o.asked) != 1 || !o.asked[0] {
		t.Errorf("asked %v", o.asked)
	}
	o.err = errors.New("the disk is gone")
	s.send(pollExternalMsg{})
	s.send(pollExternalMsg{})
	if len(o.asked) != 3 || !o.asked[2] {
		t.Errorf("asked %v", o.asked)
	}
}
