package vault

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// theirs writes a file as another program would.
func theirs(t *testing.T, v *Vault, name, text string) {
	t.Helper()
	mustTest(t, os.MkdirAll(filepath.Dir(filepath.Join(v.dir, name)), 0o755))
	mustTest(t, os.WriteFile(filepath.Join(v.dir, name), []byte(text), 0o644))
}

// TestUndoOfAMoveKeepsLinks: whatever was written since, no link is broken after the undo of a move, or after its
// redo.
func TestUndoOfAMoveKeepsLinks(t *testing.T) {
	v := keptTest(t, map[string]string{
		"P/Alpha.md": "# A [n](../n.md)\n", "n.md": "Plan: [[P/Alpha]] and [a](P/Alpha.md)\n", "same.md": "[[P/Alpha|A]]\n",
		"renamed.md": "[[P/Alpha]] ren\n", "dead.md": "[[Q/G/Alpha]]\n", "gone.md": "[[P/Alpha]] gone\n", "x.md": "x",
	})
	before := snapshot(v.dir)
	_, err := v.Move(inTurn(t, "x"), "P", "Q/G")
	mustTest(t, err)
	mustTest(t, v.EndTurn("x"))
	edited := disk(t, v, "n.md") + "later\n"
	theirs(t, v, "n.md", edited)
	theirs(t, v, "later.md", "[q](Q/G/Alpha.md) and [[dead]]\n")
	theirs(t, v, "Q/G/inner.md", "[z](../../x.md) [y](Alpha.md)\n")
	mustTest(t, os.Rename(filepath.Join(v.dir, "renamed.md"), filepath.Join(v.dir, "other.md")))
	mustTest(t, os.Remove(filepath.Join(v.dir, "gone.md")))
	after := snapshot(v.dir)

	u, err := v.Undo(t.Context(), "")
	if err != nil || len(u.Refused) > 0 || len(u.Lines) != 5 {
		t.Errorf("%v\n%s\n%+v", err, strings.Join(u.Lines, "\n"), u.Refused)
	}
	for name, want := range map[string]string{
		"P/Alpha.md": "# A [n](../n.md)\n", "n.md": "Plan: [[P/Alpha]] and [a](P/Alpha.md)\nlater\n", "same.md": "[[P/Alpha|A]]\n",
		"dead.md": "[[Q/G/Alpha]]\n", "later.md": "[q](P/Alpha.md) and [[dead]]\n", "P/inner.md": "[z](../x.md) [y](Alpha.md)\n", "other.md": "[[P/Alpha]] ren\n",
	} {
		if got := disk(t, v, name); got != want {
			t.Errorf("%s: %q, want %q (%s before)", name, got, want, before[name])
		}
	}
	u, err = v.Redo(t.Context())
	if err != nil || len(u.Refused) > 0 {
		t.Errorf("%v\n%s\n%+v", err, strings.Join(u.Lines, "\n"), u.Refused)
	}
	if d := differences(snapshot(v.dir), after); len(d) > 0 {
		t.Error(d)
	}
}

// TestUndoOfAMoveTellsWhatItLeaves: a link that was written since and cannot be rewritten is reported.
func TestUndoOfAMoveTellsWhatItLeaves(t *testing.T) {
	v := keptTest(t, map[string]string{"a.md": "a", "n.md": "[[a]]"})
	_, err := v.Move(inTurn(t, "x"), "a.md", "b.md")
	mustTest(t, err)
	mustTest(t, v.EndTurn("x"))
	theirs(t, v, "n.md", "[[b]] and more")
	mustTest(t, os.Chmod(filepath.Join(v.dir, "n.md"), 0o444))
	u, err := v.Undo(t.Context(), "")
	if err != nil || len(u.Refused) != 1 || !strings.Contains(u.Refused[0].Why, "read-only") || disk(t, v, "n.md") != "[[b]] and more" || !exists(v, "a.md") {
		t.Errorf("%v %+v", err, u)
	}
	if turns, err := v.ChangedTurns(t.Context(), 0); err != nil || !turns[1].Undone {
		t.Errorf("it can be taken back once more: %+v, %v", turns, err)
	}
}

// TestUndoRestoresTimes: restored files have their old modification times.
func TestUndoRestoresTimes(t *testing.T) {
	v := keptTest(t, map[string]string{"a.md": "a", "n.md": "[[a]]", "w.md": "w", "d.md": "d"})
	old := time.Date(2020, 2, 3, 4, 5, 6, 0, time.UTC)
	names := []string{"a.md", "n.md", "w.md", "d.md"}
	for _, name := range names {
		mustTest(t, os.Chtimes(filepath.Join(v.dir, name), old, old))
	}
	ctx := inTurn(t, "x")
	_, err := v.Move(ctx, "a.md", "b.md")
	mustTest(t, err)
	_, err = v.Write(ctx, "w.md", []byte("W"), "")
	mustTest(t, err)
	_, err = v.Delete(ctx, "d.md", false)
	mustTest(t, err)
	mustTest(t, os.RemoveAll(filepath.Join(v.dir, ".trash")))
	mustTest(t, v.EndTurn("x"))
	if u, err := v.Undo(t.Context(), ""); err != nil || len(u.Refused) > 0 {
		t.Errorf("%v %+v", err, u)
	}
	for _, name := range names {
		info, err := os.Stat(filepath.Join(v.dir, name))
		mustTest(t, err)
		if !info.ModTime().Equal(old) {
			t.Errorf("%s: %s", name, info.ModTime())
		}
	}
	if u, err := v.Redo(t.Context()); err != nil || len(u.Refused) > 0 {
		t.Errorf("%v %+v", err, u)
	}
	if info, err := os.Stat(filepath.Join(v.dir, "w.md")); err != nil || time.Since(info.ModTime()) > time.Hour {
		t.Errorf("%v, %v", info.ModTime(), err)
	}
}
