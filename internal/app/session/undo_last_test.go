package session

import (
	"os"
	"path/filepath"
	"testing"
)

// /undo undoes the last turn. One of which nothing can be undone stays the last; others are undone by their IDs.
func TestUndoLast(t *testing.T) {
	a, dir := forkable(t)
	if err := os.WriteFile(filepath.Join(dir, "a.md"), []byte("by hand\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	u, err := a.Changes.Undo(t.Context(), "")
	if err != nil || u.Title != "t3" || len(u.Lines) != 1 || len(u.Left) != 1 {
		t.Fatalf("b.md comes back, a.md stays: %+v %v", u, err)
	}
	u, err = a.Changes.Undo(t.Context(), "")
	if err != nil || u.Title != "t3" || len(u.Lines) != 0 || len(u.Left) != 1 {
		t.Fatalf("a.md still stays: %+v %v", u, err)
	}
	u, err = a.Changes.Undo(t.Context(), "t2")
	if err != nil || u.Title != "t2" || len(u.Lines) != 1 {
		t.Fatalf("another turn: %+v %v", u, err)
	}
	if got := notesOf(t, dir); got != "-, by hand, two, of a turn that was stopped" {
		t.Errorf("the notes are %s", got)
	}
	// With the obstacle gone it can be undone.
	if err := os.WriteFile(filepath.Join(dir, "a.md"), []byte("one and more\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if u, err = a.Changes.Undo(t.Context(), ""); err != nil || u.Title != "t3" || len(u.Lines) != 1 || len(u.Left) != 0 {
		t.Fatalf("what is mended: %+v %v", u, err)
	}
	if u, err = a.Changes.Undo(t.Context(), "stopp"); err != nil || u.Title != "stopped" || u.Restored {
		t.Errorf("by the beginning of its id: %+v %v", u, err)
	}
}
