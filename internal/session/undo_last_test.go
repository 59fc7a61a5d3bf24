package session

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Repeated /undo undoes the turns one by one, the last first. A turn that cannot be undone is reported once and
// skipped from then on.
func TestUndoLastIsNotStuck(t *testing.T) {
	a, dir := forkable(t)
	if err := os.WriteFile(filepath.Join(dir, "a.md"), []byte("by hand\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	u, err := a.Changes.Undo(t.Context(), "")
	if err != nil || u.Title != "t3" || len(u.Lines) != 1 || len(u.Left) != 1 || len(u.Passed) != 0 {
		t.Fatalf("b.md comes back, a.md stays: %+v %v", u, err)
	}
	// The turn before t3, which is partly undone, cannot be undone at all.
	if err := os.WriteFile(filepath.Join(dir, "c.md"), []byte("by hand, too\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	u, err = a.Changes.Undo(t.Context(), "")
	if err != nil || u.Title != "stopped" || len(u.Lines) != 0 || len(u.Left) != 1 || strings.Join(u.Passed, " ") != "t3" || !u.More {
		t.Fatalf("it was not tried before: %+v %v", u, err)
	}
	u, err = a.Changes.Undo(t.Context(), "")
	if err != nil || u.Title != "t2" || len(u.Lines) != 1 || strings.Join(u.Passed, " ") != "t3 stopped" {
		t.Fatalf("the one before both: %+v %v", u, err)
	}
	u, err = a.Changes.Undo(t.Context(), "")
	if err != nil || u.Title != "t3" || len(u.Lines) != 0 || len(u.Left) != 1 || len(u.Passed) != 0 || u.More {
		t.Fatalf("nothing can be taken back any more: %+v %v", u, err)
	}
	if got := notesOf(t, dir); got != "-, by hand, two, by hand, too" {
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

// The list names the undo from which an undone turn can be restored.
func TestChangedTurnsNameTheirUndo(t *testing.T) {
	a, _ := forkable(t)
	restores := func() string {
		t.Helper()
		list, err := a.Changes.List(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range list {
			if c.ID == "t2" {
				return c.Restore + strings.Join(c.Again, ";")
			}
		}
		return "t2 is not there"
	}
	if got := restores(); got != "" {
		t.Errorf("before: %s", got)
	}
	if _, err := a.Changes.Undo(t.Context(), "t2"); err != nil {
		t.Fatal(err)
	}
	if got := restores(); !strings.HasSuffix(got, "New.md comes back") {
		t.Errorf("taken back: %s", got)
	}
	if _, err := a.Changes.Redo(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := restores(); got != "" {
		t.Errorf("restored: %s", got)
	}
}
