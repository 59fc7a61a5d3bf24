package session

import (
	"slices"
	"testing"

	"chatvault/conversation"
	"chatvault/vault/journal"
)

func TestDistinct(t *testing.T) {
	left := []conversation.Turn{saying("1", "one", "a.md"), saying("2", "two", ""), saying("3", "three", "b.md"), saying("3", "three", "b.md"), saying("4", "four", "c.md")}
	if n := distinct(left); n != 4 {
		t.Errorf("%d turns", n)
	}
}

// Undone and failed changes do not remain.
func TestRemaining(t *testing.T) {
	turn := journal.Turn{Changes: []journal.Change{
		{Op: "create", Path: "b.md"}, {Op: "overwrite", Path: "x.md", Undone: true}, {Op: "delete", Path: "y.md", State: journal.Failed}, {Op: "overwrite", Path: "z.md"},
	}}
	if got, want := remaining(&turn), []string{turn.Changes[0].Text(), turn.Changes[3].Text()}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// After /undo, a fork does not list undone changes as kept.
func TestForkAfterUndo(t *testing.T) {
	a, _ := forkable(t)
	if _, err := a.Changes.Undo(t.Context(), "t3"); err != nil {
		t.Fatal(err)
	}
	m, err := a.Conversations.ForkBack(t.Context(), "t2", nil)
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
