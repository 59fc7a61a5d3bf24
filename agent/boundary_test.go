package agent

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"chatvault/agent/event"
	"chatvault/agent/history"
	"chatvault/agent/inbox"
	"chatvault/conversation"
)

// boundaries are the events of conversations and turns so far.
func (k *talk) boundaries() (out []string) {
	for _, e := range k.seen {
		switch e := e.(type) {
		case event.ConversationBegan:
			out = append(out, "began")
		case event.ConversationEnded:
			out = append(out, "ended: "+e.Reason)
		case event.TurnFinished:
			out = append(out, "finished")
		}
	}
	return out
}

// A conversation ends before the next one's first turn, by idleness or the user's wish, and not
// by a clock that went back.
func TestConversationsBeginAndEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := talking(t, state(t), []reply{say("ok")}, nil, nil)
		k.ask("one")
		time.Sleep(idleTimeout)
		k.ask("two") // just in time
		time.Sleep(idleTimeout + time.Second)
		k.ask("three")
		k.NewConversation()
		k.ask("four")
		want := []string{"began", "finished", "finished", "ended: idle", "began", "finished", "ended: new", "began", "finished"}
		if got := k.boundaries(); !slices.Equal(got, want) {
			t.Errorf("%q", got)
		}
		if calls := k.model.calls(); len(calls[2].Messages) != 2 || len(calls[1].Messages) != 4 {
			t.Errorf("the conversations had %d and %d messages", len(calls[1].Messages), len(calls[2].Messages))
		}
		k.stop()
	})
}

var goodbye = use(endConversation, `{"reason":"done"}`)

// The agent ends a conversation: its farewell belongs to it, and what is told comes in this
// order.
func TestAgentEndsTheConversation(t *testing.T) {
	k := talking(t, state(t), []reply{goodbye, say("Goodbye."), say("Hello again.")}, nil, nil)
	k.send("that is all, thank you")
	ended := wait[event.ConversationEnded](k.harness)
	c, err := k.conversations.Get(ended.ID)
	if err != nil || ended.Reason != "agent" || len(c.Turns) != 1 || c.Turns[0].Messages[len(c.Turns[0].Messages)-1].Content != "Goodbye." || c.Ended.IsZero() {
		t.Fatalf("%+v of %+v, %v", ended, c, err)
	}
	if f := wait[event.TurnFinished](k.harness); f.ConversationID != c.ID || f.Response != "Goodbye." || !slices.Equal(f.ToolsUsed, []string{endConversation}) {
		t.Errorf("%+v", f)
	}
	if ids := k.inboxIDs(); len(ids) > 0 {
		t.Errorf("inbox: %v", ids)
	}
	if f := k.ask("hello"); f.ConversationID == c.ID {
		t.Error("the conversation went on")
	}
	if got, want := k.boundaries(), []string{"began", "ended: agent", "finished", "began", "finished"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if e := k.inboxEntryOf("that is all"); e != nil {
		t.Errorf("the entry stays: %+v", e)
	}
}

// inboxEntryOf is the inbox entry with a text; nil: there is none.
func (k *talk) inboxEntryOf(text string) *inbox.Entry {
	entries, _, err := inbox.Open(k.root).List()
	if err != nil {
		k.t.Fatal(err)
	}
	for i := range entries {
		if strings.HasPrefix(entries[i].Text, text) {
			return &entries[i]
		}
	}
	return nil
}

// A question keeps the conversation open, and so does a turn that was stopped or failed.
func TestConversationContinues(t *testing.T) {
	k := talking(t, state(t), []reply{
		use(endConversation, `{}`, sendMessage, `{"message":"Really?","is_question":true}`), say("On we go."), goodbye, hang, say("Still here."),
	}, nil, nil)
	first := k.ask("bye")
	if first.StopReason != event.StopWaiting {
		t.Errorf("%+v", first)
	}
	if f := k.ask("no"); f.ConversationID != first.ConversationID {
		t.Error("a question did not keep it open")
	}
	k.send("bye")
	wait[event.TextDelta](k.harness)
	k.Stop()
	wait[event.TurnStopped](k.harness)
	if f := k.ask("hello"); f.ConversationID != first.ConversationID || f.Response != "Still here." {
		t.Errorf("after a stop: %+v", f)
	}
}

// Ending the conversation changes no note: a turn that does only that is no danger to repeat.
func TestEndedConversationIsSafeToRetry(t *testing.T) {
	k := talking(t, state(t), []reply{goodbye, func() reply { return hang }()}, nil, nil)
	m := k.send("bye")
	wait[event.TextDelta](k.harness)
	if e, err := inbox.Open(k.root).Load(m.ID); err != nil || e.ToolsRan {
		t.Errorf("%+v, %v", e, err)
	}
	k.Stop()
	wait[event.TurnStopped](k.harness)
}

// A turn in which the agent ends the conversation records the end with it, so that no crash comes between.
func TestTheEndIsRecordedWithItsTurn(t *testing.T) {
	root := state(t)
	k := talking(t, root, []reply{say("Hello.")}, nil, nil)
	f := k.ask("hi")
	k.stop()
	now := time.Now()
	bye := conversation.Turn{ID: "bye", Started: now, Ended: now, Ends: true, Messages: []conversation.Message{{ID: "bye", Role: conversation.RoleUser, Time: now, Content: "bye"}}}
	if err := k.conversations.Append(f.ConversationID, bye); err != nil {
		t.Fatal(err)
	}
	k = talking(t, root, []reply{say("ok")}, nil, nil)
	if again := k.ask("hello"); again.ConversationID == f.ConversationID {
		t.Error("it went on")
	}
	if got, want := k.boundaries(), []string{"began", "finished"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// What earlier conversations were about is told once, beside a message, and once more when it
// is known better or out of sight; the system prompt stays the same.
func TestPromptListsEarlierConversations(t *testing.T) {
	k := talking(t, state(t), []reply{say("ok")}, []reply{titled}, nil)
	var last conversation.Entry
	for _, text := range []string{"first", "second", "third"} {
		k.NewConversation()
		k.ask(text)
		k.settled()
	}
	last = k.entry(0)
	if last.Title == "" {
		t.Fatalf("%+v", last)
	}
	k.NewConversation()
	told := func(text string) string {
		t.Helper()
		k.ask(text)
		calls := k.model.calls()
		m := calls[len(calls)-1].Messages
		if calls[0].Messages[0].Content != m[0].Content {
			t.Error("the system prompt changed")
		}
		return m[len(m)-1].Context
	}
	got := told("fourth")
	lines := strings.Split(got, "\n")
	if len(lines) != 3 || !slices.Equal(lines[:2], history.Earlier(&conversation.Conversation{}, []conversation.Entry{last})) || !strings.HasSuffix(lines[2], "“third”") {
		t.Errorf("told %q", got)
	}
	wait[event.ConversationTitled](k.harness)
	k.settled()
	third := k.entry(0)
	if got := told("fifth"); got != strings.Join(history.Earlier(&conversation.Conversation{}, []conversation.Entry{third}), "\n") || !strings.Contains(got, "Watering the tomato beds”. The person asked") {
		t.Errorf("told %q", got)
	}
	if got := told("sixth"); got != "" {
		t.Errorf("told again: %q", got)
	}
}
