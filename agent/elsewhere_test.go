package agent

import (
	"testing"
	"time"

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
		c, _, err := other.Begin(now)
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
			if got, err := k.Elsewhere(); err != nil || got != want {
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
