package vault

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// writeAsOther writes a file as another program would.
func writeAsOther(t *testing.T, v *Vault, name, text string) {
	t.Helper()
	mustTest(t, os.MkdirAll(filepath.Dir(filepath.Join(v.dir, name)), 0o755))
	mustTest(t, os.WriteFile(filepath.Join(v.dir, name), []byte(text), 0o644))
}

// TestUndoMoveKeepsLaterNotes: notes written since the move stay unchanged, and those whose links it had updated are
// listed. The redo restores everything.
func TestUndoMoveKeepsLaterNotes(t *testing.T) {
	v := journaledTest(t, map[string]string{
		"P/Alpha.md": "# A [n](../n.md)\n", "n.md": "Plan: [[P/Alpha]] and [a](P/Alpha.md)\n", "same.md": "[[P/Alpha|A]]\n", "gone.md": "[[P/Alpha]] gone\n",
	})
	_, err := v.Move(inTurn(t, "x"), "P", "Q/G")
	mustTest(t, err)
	mustTest(t, v.History.EndTurn("x"))
	edited := readFromDisk(t, v, "n.md") + "later\n"
	writeAsOther(t, v, "n.md", edited)
	writeAsOther(t, v, "Q/G/inner.md", "[y](Alpha.md)\n")
	mustTest(t, os.Remove(filepath.Join(v.dir, "gone.md")))
	after := snapshot(v.dir)

	u, err := v.History.Undo(t.Context(), "")
	if err != nil || len(u.Refused) != 2 || u.Refused[0].Path != "gone.md" || u.Refused[1].Path != "n.md" || len(u.Lines) != 1 {
		t.Errorf("%v\n%s\n%+v", err, strings.Join(u.Lines, "\n"), u.Refused)
	}
	for name, want := range map[string]string{"P/Alpha.md": "# A [n](../n.md)\n", "n.md": edited, "same.md": "[[P/Alpha|A]]\n", "P/inner.md": "[y](Alpha.md)\n"} {
		if got := readFromDisk(t, v, name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if u, err = v.History.Redo(t.Context()); err != nil || len(u.Refused) > 0 {
		t.Errorf("%v\n%s\n%+v", err, strings.Join(u.Lines, "\n"), u.Refused)
	}
	if d := differences(snapshot(v.dir), after); len(d) > 0 {
		t.Error(d)
	}
}

// TestUndoRestoresTimes: restored files have their old modification times.
func TestUndoRestoresTimes(t *testing.T) {
	v := journaledTest(t, map[string]string{"a.md": "a", "n.md": "[[a]]", "w.md": "w", "d.md": "d"})
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
	mustTest(t, v.History.EndTurn("x"))
	if u, err := v.History.Undo(t.Context(), ""); err != nil || len(u.Refused) > 0 {
		t.Errorf("%v %+v", err, u)
	}
	for _, name := range names {
		info, err := os.Stat(filepath.Join(v.dir, name))
		mustTest(t, err)
		if !info.ModTime().Equal(old) {
			t.Errorf("%s: %s", name, info.ModTime())
		}
	}
	if u, err := v.History.Redo(t.Context()); err != nil || len(u.Refused) > 0 {
		t.Errorf("%v %+v", err, u)
	}
	if info, err := os.Stat(filepath.Join(v.dir, "w.md")); err != nil || time.Since(info.ModTime()) > time.Hour {
		t.Errorf("%v, %v", info.ModTime(), err)
	}
}
