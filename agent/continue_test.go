package agent

import (
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"chatvault/agent/event"
	"chatvault/agent/llm"
	"chatvault/conversation"
)

// TestContinue goes on with a conversation that ended: all that was said is in the model's context, and the one before
// it ends.
func TestContinue(t *testing.T) {
	root := state(t)
	k := talking(t, root, []reply{use("read_file", `{"path":"Fence.md"}`), say("A metre."), say("Hello."), say("Green.")}, []reply{titled}, nil)
	first := k.ask("how high is the fence?").ConversationID
	k.NewConversation()
	second := k.ask("hello").ConversationID
	wait[event.ConversationTitled](k.harness)

	if err := k.Continue(first); err != nil {
		t.Fatal(err)
	}
	if e := wait[event.ConversationEnded](k.harness); e.ID != second || e.Reason != endedNew {
		t.Errorf("%+v", e)
	}
	if began := wait[event.ConversationBegan](k.harness); began.ID != first {
		t.Errorf("%+v", began)
	}
	c, err := conversation.NewManager(root, conversation.Options{}).Active() // as another process sees it
	if err != nil || c == nil || c.ID != first {
		t.Fatalf("%+v, %v", c, err)
	}
	if f := k.ask("and which colour?"); f.ConversationID != first {
		t.Errorf("answered in %s, not %s", f.ConversationID, first)
	}
	calls := k.model.calls()
	sent := calls[len(calls)-1].Messages
	var told []string
	for _, m := range sent[1:] {
		s := string(m.Role) + ": " + m.Content
		for _, c := range m.ToolCalls {
			s += c.Name + c.Arguments
		}
		told = append(told, s)
	}
	got := strings.Join(told, "\n")
	if want := "user: how high is the fence?\nassistant: read_file{\"path\":\"Fence.md\"}\ntool: 1: hello\nassistant: A metre.\nuser: and which colour?"; got != want {
		t.Errorf("sent:\n%s", got)
	}
	if last := sent[len(sent)-1].Context; strings.Contains(last, first) || !strings.Contains(last, second) {
		t.Errorf("of the conversations before it was told: %s", last)
	}
}

// TestContinueAfterAQuestion goes on with a conversation that ended with a question: it waits for the answer again.
func TestContinueAfterAQuestion(t *testing.T) {
	k := talking(t, state(t), []reply{use("read_file", `{"path":"a.md"}`), asksWhich, say("The second.")}, nil, nil)
	asked := k.ask("delete the meeting")
	if !asked.IsWaitingForResponse {
		t.Fatal(asked)
	}
	k.EndConversation()
	if err := k.Continue(asked.ConversationID); err != nil {
		t.Fatal(err)
	}
	c, err := k.conversations.Active()
	if err != nil || c.PendingQuestion() == nil {
		t.Error(c.PendingQuestion(), err)
	}
	k.ask("the second")
	calls := k.model.calls()
	sent := calls[len(calls)-1].Messages
	if last := sent[len(sent)-1]; !strings.Contains(last.Context, "You had asked") {
		t.Errorf("told %q", last.Context)
	}
}

func TestContinueRefuses(t *testing.T) {
	work := newGated("write_file")
	k := talking(t, state(t), []reply{say("ok"), say("ok"), use("write_file", `{}`), say("done")}, nil, func(o *Options, _ *behind) { o.Tools = box(work.fakeTool) })
	first := k.ask("one").ConversationID
	if err := k.Continue(first); !errors.Is(err, errGoesOn) {
		t.Error(err)
	}
	if err := k.Continue("2000"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	k.NewConversation()
	second := k.ask("two").ConversationID
	k.send("three")
	<-work.running
	if err := k.Continue(first); !errors.Is(err, errBusy) {
		t.Error(err)
	}
	work.end <- struct{}{}
	if f := wait[event.TurnFinished](k.harness); f.ConversationID != second {
		t.Errorf("%+v", f)
	}
	k.stop()
	if err := k.Continue(first); err == nil {
		t.Error("it is closed")
	}
}

// /new ends the conversation at once where nothing runs, so that the next start shows none; else
// what waits is answered in it first.
func TestEndConversation(t *testing.T) {
	work := newGated("write_file")
	k := talking(t, state(t), []reply{say("ok"), use("write_file", `{}`), say("done"), say("more"), say("new")}, nil, func(o *Options, _ *behind) { o.Tools = box(work.fakeTool) })
	k.EndConversation() // of nothing
	first := k.ask("one").ConversationID
	k.EndConversation()
	if e := wait[event.ConversationEnded](k.harness); e.ID != first || e.Reason != endedNew {
		t.Errorf("%+v", e)
	}
	if c, err := k.conversations.Active(); c != nil || err != nil {
		t.Error(c, err)
	}
	k.send("two")
	<-work.running
	k.hold("three")
	k.EndConversation()
	k.hold("four")
	k.hold("five")
	work.end <- struct{}{}
	two, three, four := wait[event.TurnFinished](k.harness), wait[event.TurnFinished](k.harness), wait[event.TurnFinished](k.harness)
	if two.ConversationID == first || three.ConversationID != two.ConversationID || four.ConversationID == two.ConversationID {
		t.Errorf("%s, then %s, then %s", two.ConversationID, three.ConversationID, four.ConversationID)
	}
	calls := k.model.calls()
	if texts := userTexts(calls[len(calls)-1].Messages); !slices.Equal(texts, []string{"four", "five"}) {
		t.Errorf("the new one begins with %q", texts)
	}
}

// Two new conversations that are wanted with messages between them are two.
func TestNewConversationTwice(t *testing.T) {
	work := newGated("write_file")
	k := talking(t, state(t), []reply{use("write_file", `{}`), say("ok")}, nil, func(o *Options, _ *behind) { o.Tools = box(work.fakeTool) })
	k.send("one")
	<-work.running
	for _, text := range []string{"two", "three"} {
		k.NewConversation()
		k.NewConversation()
		k.send(text)
	}
	work.end <- struct{}{}
	ids := map[string]bool{}
	for range 3 {
		ids[wait[event.TurnFinished](k.harness).ConversationID] = true
	}
	if len(ids) != 3 {
		t.Errorf("%d conversations", len(ids))
	}
}

// A process that asks for it makes up for a title that an earlier one left undone, and not for
// those that it tried itself.
func TestCatchUp(t *testing.T) {
	root := state(t)
	failing := func(_ *Options, b *behind) {
		b.titles.replies = []reply{failWith(llm.Error{Kind: llm.KindInvalidRequest, Message: "no"})}
	}
	k := talking(t, root, []reply{say("ok")}, []reply{titled}, failing)
	for _, text := range []string{"one", "two", "three"} {
		k.EndConversation()
		k.settled() // no turn cuts a try short
		k.ask(text)
	}
	k.CatchUp(5)
	k.settled()
	if n := len(k.behind().titles.calls()); n != 2 {
		t.Errorf("%d tries of two titles", n)
	}
	k.stop()
	k = talking(t, root, []reply{say("ok")}, []reply{titled}, nil)
	k.settled()
	if n := len(k.behind().titles.calls()); n != 0 {
		t.Errorf("%d titles unasked", n)
	}
	k.CatchUp(1)
	k.settled()
	if list, err := k.conversations.Untitled(0); err != nil || len(list) != 1 || list[0].First != "one" {
		t.Error(list, err)
	}
}
