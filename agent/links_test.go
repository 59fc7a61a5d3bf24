package agent

import (
	"context"
	"errors"
	"log/slog"
	"testing"

	"chatvault/agent/event"
	"chatvault/agent/inbox"
	"chatvault/conversation"
	"chatvault/tools"
)

// A move asks whether it updates links, unless the user allowed that for the conversation or allows everything.
func TestChooseLinks(t *testing.T) {
	c := &core{opt: Options{Attended: true}}
	w := &worker{core: c, asks: &consents{core: c}}
	talk := &turn{conv: &conversation.Conversation{ID: "c"}, entries: []inbox.Entry{{Inbound: event.Inbound{Source: event.SourceDirect}}}}
	m := messenger{&run{state: event.StateActing, Agent: Agent{Log: slog.New(slog.DiscardHandler)}, Task: Task{host: w, of: talk, Emit: func(event.Event) {}}}}
	moving := tools.Proposal{Kind: tools.ChangeLinks, Path: "a.md", NewPath: "b.md"}
	stopped := errors.New("stopped")
	for i, tt := range []struct {
		answer event.Decision // empty: the turn is stopped
		want   tools.LinkChoice
		err    error
		asked  bool
	}{
		{event.AllowOnce, tools.LinksUpdate, nil, true},
		{event.Deny, tools.LinksLeave, nil, true},
		{"", tools.LinksUnasked, stopped, true},
		{event.AllowConversation, tools.LinksUpdate, nil, true},
		{event.Deny, tools.LinksUpdate, nil, false}, // allowed for the conversation
	} {
		ctx, cancel := context.WithCancelCause(t.Context())
		sub := c.Subscribe()
		asked := make(chan bool)
		go func() {
			events, err := sub.Next(ctx)
			switch {
			case err != nil:
			case tt.answer == "":
				cancel(stopped)
			default:
				if err := w.asks.Answer(events[0].(event.Requested).Request.ID, event.Answer{Decision: tt.answer}); err != nil {
					t.Error(err)
				}
			}
			asked <- err == nil
		}()
		m.state = event.StateActing
		got, err := m.ChooseLinks(ctx, moving)
		if !tt.asked {
			sub.Close()
		}
		if was := <-asked; got != tt.want || !errors.Is(err, tt.err) || was != tt.asked {
			t.Errorf("%d: %v, %v, asked %v", i, got, err, was)
		}
		sub.Close()
		cancel(nil)
	}
	c.opt.Attended = false
	talk.conv = &conversation.Conversation{ID: "d"}
	if got, err := m.ChooseLinks(t.Context(), moving); got != tools.LinksUnasked || err != nil {
		t.Errorf("nobody can be asked: %v, %v", got, err)
	}
	c.opt.ApproveAll = true
	if got, err := m.ChooseLinks(t.Context(), moving); got != tools.LinksUpdate || err != nil {
		t.Errorf("all is approved: %v, %v", got, err)
	}
	if got, err := (messenger{&run{}}).ChooseLinks(t.Context(), moving); got != tools.LinksUnasked || err != nil {
		t.Errorf("no turn: %v, %v", got, err)
	}
}
