package agent

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"chatvault/agent/event"
	"chatvault/conversation"
)

// asked is what the user said on the active path of the conversation.
func (k *talk) asked() string {
	k.t.Helper()
	c, err := k.conversations.Active()
	if err != nil || c == nil {
		k.t.Fatal(c, err)
	}
	var texts []string
	for _, t := range c.Turns {
		texts = append(texts, t.Messages[0].Content)
	}
	return strings.Join(texts, " ")
}

// Going back leaves what followed as a branch, which can be gone back to in turn.
func TestForkAndSwitch(t *testing.T) {
	k := talking(t, state(t), []reply{say("1"), say("2"), say("3"), say("4"), say("5")}, nil, nil)
	if err := k.Fork("x"); !errors.Is(err, errNothingToGoBackTo) {
		t.Error(err)
	}
	k.ask("one")
	two := k.ask("two")
	k.ask("three")
	if err := k.Fork("nothing"); err == nil || !strings.Contains(err.Error(), `"nothing" is not in the conversation`) {
		t.Error(err)
	}
	if err := k.Fork(two.MessageID); err != nil {
		t.Fatal(err)
	}
	if got := k.asked(); got != "one" {
		t.Errorf("after going back: %q", got)
	}
	if f := k.ask("other"); f.ConversationID != two.ConversationID {
		t.Error("another conversation began")
	}
	calls := k.model.calls()
	for _, m := range calls[len(calls)-1].Messages[1:] {
		if m.Content == "two" || m.Content == "2" {
			t.Errorf("the model was told of what is archived: %q", m.Content)
		}
	}
	c, err := k.conversations.Active()
	if err != nil || k.asked() != "one other" || len(c.Branches()) != 1 {
		t.Fatalf("%q, %+v, %v", k.asked(), c.Branches(), err)
	}
	if err := k.Switch(c.Branches()[0].ID); err != nil {
		t.Fatal(err)
	}
	k.ask("four")
	if got := k.asked(); got != "one two three four" {
		t.Errorf("after switching: %q", got)
	}
	if err := k.Switch("nothing"); err == nil {
		t.Error("there is no such branch")
	}
	k.NewConversation()
	if err := k.Fork(two.MessageID); err == nil || !strings.Contains(err.Error(), "begins a new conversation") {
		t.Error(err)
	}
	k.stop()
	if err := k.Fork(two.MessageID); err == nil {
		t.Error("it is closed")
	}
}

// While a turn runs nothing is changed under it.
func TestForkWaitsForNoTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		root := state(t)
		k := talking(t, root, []reply{say("1"), hang, say("3")}, nil, nil)
		one := k.ask("one")
		k.send("two")
		wait[event.TextDelta](k.harness)
		if err := k.Fork(one.MessageID); !errors.Is(err, errBusy) {
			t.Error(err)
		}
		if err := k.Switch("x"); !errors.Is(err, errBusy) {
			t.Error(err)
		}
		k.Stop()
		wait[event.TurnStopped](k.harness)
		if got := k.asked(); got != "one" {
			t.Error(got)
		}
		if f := k.ask("three"); f.Response != "3" {
			t.Errorf("%+v", f)
		}
		k.stop()
	})
}

// What was summarised is told again where the summary holds more than is left, a question that
// is gone back before is open again, and what was used stays used.
func TestForkKeepsValidHistory(t *testing.T) {
	k := leftAsking(t, state(t), say("South."), say("Green."), say("ok"))
	answer := k.ask("the south one")
	k.ask("more")
	conv := answer.ConversationID
	if err := k.conversations.Compact(conv, conversation.Compaction{Through: answer.MessageID, Summary: "SUMMARY", Time: time.Now()}); err != nil {
		t.Fatal(err)
	}
	if err := k.Fork(answer.MessageID); err != nil {
		t.Fatal(err)
	}
	c, err := k.conversations.Active()
	if err != nil || c.PendingQuestion() == nil || c.PendingQuestion().Question != "Which bed?" {
		t.Fatalf("%+v, %v", c.PendingQuestion(), err)
	}
	k.ask("the north one")
	calls := k.model.calls()
	messages := calls[len(calls)-1].Messages
	var all strings.Builder
	for _, m := range messages {
		all.WriteString(m.Content + m.Context + "\n")
	}
	if s := all.String(); strings.Contains(s, "SUMMARY") || !strings.Contains(s, "You had asked the user: “Which bed?”") || strings.Contains(s, "South.") {
		t.Errorf("the model got %q", s)
	}
	if usage, _, err := k.Usage(); err != nil || usage.Calls != 5 {
		t.Errorf("%+v, %v", usage, err)
	}
}
