package session

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"chatvault/conversation"
	"chatvault/vault/journal"
)

// After a restart, the history marks turns whose changes were undone.
func TestHistoryMarksUndone(t *testing.T) {
	a, dir := forkable(t)
	marked := func() []string {
		t.Helper()
		c, err := a.manager.Active()
		if err != nil {
			t.Fatal(err)
		}
		p := a.Conversations.lastPage(c)
		var out []string
		turn := ""
		for _, i := range p.Items {
			switch i.Role {
			case HistoryUser:
				turn = i.Turn
			case HistoryTakenBack:
				if i.Time.IsZero() {
					t.Errorf("no time: %+v", i)
				}
				out = append(out, fmt.Sprint(turn, i.Left))
			}
		}
		return out
	}
	if got := marked(); len(got) != 0 {
		t.Errorf("before: %q", got)
	}
	if err := os.WriteFile(filepath.Join(dir, "a.md"), []byte("by hand\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"t3", "t2"} {
		if _, err := a.Changes.Undo(t.Context(), id); err != nil {
			t.Fatal(err)
		}
	}
	if got := marked(); !slices.Equal(got, []string{"t2[]", "t3[edited a.md]"}) {
		t.Errorf("after: %q", got)
	}
	if _, err := a.Changes.Redo(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := marked(); !slices.Equal(got, []string{"t3[edited a.md]"}) {
		t.Errorf("restored: %q", got)
	}
	if _, err := a.Conversations.Fork(t.Context(), "t3"); err != nil {
		t.Fatal(err)
	}
	list, err := a.Conversations.Branches(t.Context())
	if err != nil || len(list) != 2 || !slices.ContainsFunc(list[1].History, func(i HistoryItem) bool { return i.Role == HistoryTakenBack }) {
		t.Errorf("in a branch: %+v %v", list, err)
	}
}

// A failed turn that was retried is marked once, after its retry.
func TestMarkAfterRetry(t *testing.T) {
	turns := []conversation.Turn{saying("1", "one", "a.md"), saying("1", "one", "a.md"), saying("2", "two", "b.md")}
	m := marksOf([]journal.Turn{
		{Origin: journal.Origin{Turn: "u", Source: "undo", Undoes: "1"}, Changes: []journal.Change{{Op: "remove", Path: "a.md"}}},
		{Origin: journal.Origin{Turn: "2"}, Changes: []journal.Change{{Op: "create", Path: "b.md"}}},
		{Origin: journal.Origin{Turn: "1"}, Undone: true, Changes: []journal.Change{{Op: "create", Path: "a.md", Undone: true}}},
	})
	for i, want := range []int{0, 1, 0} {
		if got := m.after(turns, i); len(got) != want {
			t.Errorf("turn %d: %+v", i, got)
		}
	}
}
