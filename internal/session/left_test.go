package session

import (
	"slices"
	"testing"
	"time"

	"chatvault/conversation"
	"chatvault/vault/journal"
)

// Changes of archived turns are described as in the journal, without undone ones. Turns pruned from the journal are
// described by their tools' results.
func TestWhatTurnsChanged(t *testing.T) {
	left := []conversation.Turn{saying("1", "one", "a.md"), saying("2", "two", ""), saying("3", "three", "b.md"), saying("3", "three", "b.md"), saying("4", "four", "c.md")}
	began := left[0].Ended.Add(-time.Second)
	of := func(id string, undone bool, changes ...journal.Change) journal.Turn {
		return journal.Turn{Origin: journal.Origin{Turn: id}, Began: began, Undone: undone, Changes: changes}
	}
	turns := []journal.Turn{
		of("u1", false, journal.Change{Op: "remove", Path: "c.md"}),
		of("4", true, journal.Change{Op: "create", Path: "c.md", Undone: true}),
		of("3", false, journal.Change{Op: "create", Path: "b.md"}, journal.Change{Op: "overwrite", Path: "x.md", Undone: true},
			journal.Change{Op: "delete", Path: "y.md", State: journal.Failed}, journal.Change{Op: "overwrite", Path: "z.md"}),
	}
	for name, tt := range map[string]struct {
		turns []journal.Turn
		want  []string
	}{
		"journal": {turns, []string{turns[2].Changes[0].Text(), turns[2].Changes[3].Text()}},
		"let go":  {nil, []string{`Created file "a.md" (1 byte).`, `Created file "b.md" (1 byte).`, `Created file "b.md" (1 byte).`, `Created file "c.md" (1 byte).`}},
	} {
		if got := changesOf(left, tt.turns); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
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
