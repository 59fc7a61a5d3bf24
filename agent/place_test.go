package agent

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"chatvault/agent/event"
	"chatvault/agent/llm"
)

// TestAMessageRunsInItsConversation: a message that was cut runs with the history that it was sent in, whatever
// happened in the vault since, or not at all.
func TestAMessageRunsInItsConversation(t *testing.T) {
	for _, c := range []struct {
		name  string
		since func(k *talk, asked event.TurnFinished)
		same  bool
		err   string
	}{
		{name: "nothing", since: func(*talk, event.TurnFinished) {}, same: true},
		{name: "a long time", since: func(*talk, event.TurnFinished) { time.Sleep(100 * time.Hour) }, same: true},
		{name: "a message there", since: func(k *talk, _ event.TurnFinished) { k.ask("third") }},
		{name: "another conversation is wanted", since: func(k *talk, _ event.TurnFinished) { k.NewConversation() }, same: true},
		{name: "it was ended", since: func(k *talk, _ event.TurnFinished) { k.EndConversation() }},
		{name: "another conversation", since: func(k *talk, _ event.TurnFinished) { k.NewConversation(); k.ask("other") }},
		{name: "it was continued", since: func(k *talk, asked event.TurnFinished) {
			k.EndConversation()
			if err := k.Continue(asked.ConversationID); err != nil {
				t.Error(err)
			}
		}, same: true},
		{name: "another branch", since: func(k *talk, asked event.TurnFinished) {
			if err := k.Fork(asked.MessageID); err != nil {
				t.Error(err)
			}
		}, err: "another branch"},
		{name: "it was deleted", since: func(k *talk, asked event.TurnFinished) {
			k.EndConversation()
			if err := k.conversations.Delete(asked.ConversationID); err != nil {
				t.Error(err)
			}
		}, err: "has been deleted"},
	} {
		synctest.Test(t, func(t *testing.T) {
			root := state(t)
			k := talking(t, root, []reply{say("1"), hang}, nil, nil)
			asked := k.ask("first")
			k.send("cut")
			wait[event.TextDelta](k.harness)
			k.stop()

			time.Sleep(time.Second)
			k = talking(t, root, []reply{say("a"), say("b"), say("c")}, nil, nil)
			pending, warnings, err := k.Recover()
			if err != nil || len(warnings) > 0 || len(pending) != 1 || pending[0].Conversation != asked.ConversationID || pending[0].After != asked.MessageID {
				t.Fatalf("%s: %+v, %v, %v", c.name, pending, warnings, err)
			}
			c.since(k, asked)
			at, err := k.Where(pending[0])
			if at.Same != c.same || c.err == "" && err != nil {
				t.Errorf("%s: %+v, %v", c.name, at, err)
			}
			err = k.Retry(pending[0].ID)
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) || len(k.inboxIDs()) != 1 {
					t.Errorf("%s: %v, inbox %v", c.name, err, k.inboxIDs())
				}
				return
			}
			if err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			f := wait[event.TurnFinished](k.harness)
			for f.MessageID != pending[0].ID {
				f = wait[event.TurnFinished](k.harness)
			}
			calls := k.model.calls()
			sent := calls[len(calls)-1].Messages
			has := func(text string) bool {
				return slices.ContainsFunc(sent, func(m llm.Message) bool { return m.Role == llm.RoleUser && m.Content == text })
			}
			if !has("first") || has("other") {
				t.Errorf("%s: sent %+v", c.name, sent[1:])
			}
			k.stop()
		})
	}
}

// TestQueuedMessageKeepsItsConversation: each of the messages that wait as the process ends keeps the conversation that it
// was sent in, also one that had not begun.
func TestQueuedMessageKeepsItsConversation(t *testing.T) {
	root := state(t)
	k := talking(t, root, []reply{hang}, nil, nil)
	one := k.send("one")
	wait[event.TextDelta](k.harness)
	two := k.submit(event.Inbound{Text: "two", Hold: true})
	k.NewConversation()
	three := k.send("three")
	k.stop()

	k = talking(t, root, []reply{say("1"), say("2"), say("3")}, nil, nil)
	pending, _, err := k.Recover()
	if err != nil || len(pending) != 3 || pending[0].Conversation != pending[1].Conversation || pending[1].Conversation == pending[2].Conversation {
		t.Fatalf("%+v, %v", pending, err)
	}
	for i, m := range []event.Inbound{three, one, two} { // in any order
		if err := k.Retry(m.ID); err != nil {
			t.Fatal(err)
		}
		f := wait[event.TurnFinished](k.harness)
		want := pending[[]int{2, 0, 0}[i]].Conversation
		if f.ConversationID != want {
			t.Errorf("%q ran in %s, not in %s", m.Text, f.ConversationID, want)
		}
	}
}
