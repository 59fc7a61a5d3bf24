package agent

import (
	"context"
	"testing"
	"time"

	"chatvault/agent/llm"
	"chatvault/conversation"
)

// What another process does to the active conversation is noticed once, what this one does is not.
func TestElsewhere(t *testing.T) {
	root := state(t)
	k := talking(t, root, []reply{say("ok")}, []reply{titled}, nil)
	other := conversation.NewManager(root, conversation.Options{})
	n := 0
	says := func() {
		t.Helper()
		n++
		now := time.Now()
		c, _, err := other.Begin("", now)
		if err != nil {
			t.Fatal(err)
		}
		id := "other" + string(rune('0'+n))
		if err := other.Append(c.ID, conversation.Turn{ID: id, Started: now, Ended: now, Messages: []conversation.Message{{ID: id, Role: conversation.RoleUser, Time: now, Content: id}}}); err != nil {
			t.Fatal(err)
		}
	}
	want := func(what string, want bool) {
		t.Helper()
		for _, want := range []bool{want, false} {
			if got, err := k.ChangedByOthers(); err != nil || got != want {
				t.Fatalf("%s: changed %v, want %v, %v", what, got, want, err)
			}
		}
	}
	want("the first look", false)
	first := k.ask("one")
	want("a turn of ours", false)
	says()
	want("a turn of another's", true)
	if err := k.Fork("other1"); err != nil {
		t.Fatal(err)
	}
	want("going back", false)
	k.EndConversation()
	k.settled()
	want("an end, and its title", false)
	says()
	want("another conversation", true)
	if err := other.SetTitle(first.ConversationID, "Another title", ""); err != nil {
		t.Fatal(err)
	}
	want("a name", false)
	if err := k.Continue(first.ConversationID); err != nil {
		t.Fatal(err)
	}
	want("a continuation", false)
	says()
	k.ask("two") // before anybody looked
	want("a turn of another's before ours", true)
	if _, err := other.End(time.Now(), "new"); err != nil {
		t.Fatal(err)
	}
	want("an end", true)
	k.ask("three")
	want("a turn that begins another one", false)
}

// The first look may fall into a turn, where somebody was quick to type: what another process does
// after that turn is noticed all the same.
func TestElsewhereFirstLookInATurn(t *testing.T) {
	root := state(t)
	var k *talk
	looks := func(ctx context.Context, req llm.Request, yield func(llm.Chunk, error) bool) {
		if changed, err := k.ChangedByOthers(); changed || err != nil {
			t.Errorf("in a turn: changed %v, %v", changed, err)
		}
		say("ok")(ctx, req, yield)
	}
	k = talking(t, root, []reply{looks}, nil, nil)
	c := k.ask("one")
	now := time.Now()
	said := conversation.Turn{ID: "other", Started: now, Ended: now, Messages: []conversation.Message{{ID: "other", Role: conversation.RoleUser, Time: now, Content: "from beside"}}}
	if err := conversation.NewManager(root, conversation.Options{}).Append(c.ConversationID, said); err != nil {
		t.Fatal(err)
	}
	for _, want := range []bool{true, false} {
		if got, err := k.ChangedByOthers(); err != nil || got != want {
			t.Errorf("a turn of another's: changed %v, want %v, %v", got, want, err)
		}
	}
}
