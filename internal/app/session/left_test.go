package session

import (
	"slices"
	"testing"

	"chatvault/conversation"
)

func TestDistinct(t *testing.T) {
	left := []conversation.Turn{saying("1", "one", "a.md"), saying("2", "two", ""), saying("3", "three", "b.md"), saying("3", "three", "b.md"), saying("4", "four", "c.md")}
	if n := distinct(left); n != 4 {
		t.Errorf("%d turns", n)
	}
}

// After /undo, a fork does not list undone changes as kept.
func TestForkAfterUndo(t *testing.T) {
	a, _ := forkable(t)
	if _, err := a.Changes.Undo(t.Context(), "t3"); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Conversations.Fork(t.Context(), "nothing"); err == nil {
		t.Error("went back to a message that does not exist")
	}
	m, err := a.Conversations.Fork(t.Context(), "t2")
	if err != nil || m.Left != 3 || !slices.Equal(m.Changed, []string{"created New.md"}) {
		t.Errorf("%+v %v", m, err)
	}
	if m, err = a.Conversations.Switch(t.Context(), firstBranch(t, a)); err != nil || len(m.Changed) != 0 {
		t.Errorf("over to the other way: %+v %v", m, err)
	}
	if m, err = a.Conversations.Fork(t.Context(), "t3"); err != nil || len(m.Changed) != 0 {
		t.Errorf("from what was taken back: %+v %v", m, err)
	}
}

func firstBranch(t *testing.T, a *Session) string {
	t.Helper()
	list, err := a.Conversations.Branches(t.Context())
	if err != nil || len(list) < 2 {
		t.Fatalf("%+v %v", list, err)
	}
	return list[1].ID
}
