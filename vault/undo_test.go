package vault

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"go.uber.org/goleak"

	"chatvault/internal/base/atomicfile"
	"chatvault/vault/journal"
	"chatvault/vault/vaulterr"
)

// journaledTest returns a vault with a journal and its own trash.
func journaledTest(t testing.TB, files map[string]string) *Vault {
	t.Helper()
	all := map[string]string{".obsidian/app.json": `{"trashOption":"local"}`}
	for name, text := range files {
		all[name] = text
	}
	v := newTest(t, all)
	keepJournal(t, v)
	return v
}

// inTurn returns a context for changes of a turn.
func inTurn(t testing.TB, turn string) context.Context {
	return WithOrigin(t.Context(), Origin{Turn: turn, Source: "chat", Title: "do " + turn})
}

// lastChange returns the last change of the newest turn.
func lastChange(t testing.TB, v *Vault) journal.Change {
	t.Helper()
	turns, err := v.History.Turns(t.Context(), 1)
	mustTest(t, err)
	if len(turns) == 0 {
		t.Fatal("there is no turn")
	}
	return turns[0].Changes[len(turns[0].Changes)-1]
}

// TestUndoOfEditedMove: a note changed since its move stays, and so do the links to it. The rest of the turn is
// undone, and everything once the note has its old content again.
func TestUndoOfEditedMove(t *testing.T) {
	v := journaledTest(t, map[string]string{"a.md": "a", "links.md": "[[a]]", "c.md": "c"})
	ctx := inTurn(t, "one")
	_, err := v.Move(ctx, "a.md", "new/b.md")
	mustTest(t, err)
	_, err = v.Write(ctx, "c.md", []byte("C"), "")
	mustTest(t, err)
	mustTest(t, v.History.EndTurn("one"))
	mustTest(t, os.WriteFile(filepath.Join(v.dir, "new/b.md"), []byte("a and more"), 0o644))

	u, err := v.History.Undo(t.Context(), "")
	mustTest(t, err)
	if len(u.Refused) != 1 || u.Refused[0].Path != "new/b.md" || !strings.Contains(u.Refused[0].Why, "and so are the links to it") || !slices.Equal(u.Lines, []string{"restored c.md"}) {
		t.Errorf("%+v", u)
	}
	if readFromDisk(t, v, "c.md") != "c" || readFromDisk(t, v, "links.md") != "[[b]]" || readFromDisk(t, v, "new/b.md") != "a and more" {
		t.Error("the undo restored too much or too little")
	}
	turns, err := v.History.Turns(t.Context(), 0)
	mustTest(t, err)
	if one := turns[1]; one.Undone || !one.Partly || one.Changes[0].Undone || !one.Changes[1].Undone {
		t.Errorf("%+v", one)
	}
	mustTest(t, os.WriteFile(filepath.Join(v.dir, "new/b.md"), []byte("a"), 0o644))
	u, err = v.History.Undo(t.Context(), "")
	if err != nil || len(u.Refused) > 0 || u.Turn.Turn != "one" || readFromDisk(t, v, "a.md") != "a" || readFromDisk(t, v, "links.md") != "[[a]]" || existsOnDisk(v, "new") {
		t.Errorf("%+v, %v", u, err)
	}

	// Redo reverses each undo, the last one first.
	u, err = v.History.Redo(t.Context())
	if err != nil || len(u.Refused) > 0 || readFromDisk(t, v, "links.md") != "[[b]]" || readFromDisk(t, v, "c.md") != "c" {
		t.Errorf("%+v, %v", u, err)
	}
	u, err = v.History.Redo(t.Context())
	if err != nil || len(u.Refused) > 0 || readFromDisk(t, v, "c.md") != "C" || u.Turn.Turn != "one" {
		t.Errorf("%+v, %v", u, err)
	}
}

// TestUndoOfEditedLink: a note changed since a move updated its links stays unchanged and is listed; the others get
// their old content.
func TestUndoOfEditedLink(t *testing.T) {
	v := journaledTest(t, map[string]string{"a.md": "a", "one.md": "[[a]]", "two.md": "[[a]]"})
	_, err := v.Move(inTurn(t, "x"), "a.md", "b.md")
	mustTest(t, err)
	mustTest(t, v.History.EndTurn("x"))
	mustTest(t, os.WriteFile(filepath.Join(v.dir, "one.md"), []byte("[[b]] theirs"), 0o644))
	u, err := v.History.Undo(t.Context(), "x")
	want := []string{"moved b.md back to a.md, with 1 link in 1 note"}
	if err != nil || len(u.Refused) != 1 || !strings.HasPrefix(u.Refused[0].Why, `"one.md" was changed since`) || !slices.Equal(u.Lines, want) {
		t.Errorf("%+v, %v", u, err)
	}
	if readFromDisk(t, v, "a.md") != "a" || readFromDisk(t, v, "two.md") != "[[a]]" || readFromDisk(t, v, "one.md") != "[[b]] theirs" {
		t.Error("the undo restored too much or too little")
	}
	u, err = v.History.Redo(t.Context())
	if err != nil || len(u.Refused) != 0 || readFromDisk(t, v, "one.md") != "[[b]] theirs" || readFromDisk(t, v, "two.md") != "[[b]]" {
		t.Errorf("%+v, %v", u, err)
	}
}

// TestUndoOfFolderMove: the folder moves back with everything added to it since.
func TestUndoOfFolderMove(t *testing.T) {
	v := journaledTest(t, map[string]string{"F/a.md": "a", "F/.hidden": "h", "links.md": "[[F/a]]"})
	_, err := v.Move(inTurn(t, "x"), "F", "Archive/G")
	mustTest(t, err)
	mustTest(t, v.History.EndTurn("x"))
	mustTest(t, os.WriteFile(filepath.Join(v.dir, "Archive/G/theirs.md"), []byte("theirs"), 0o644))
	u, err := v.History.Undo(t.Context(), "x")
	if err != nil || len(u.Refused) > 0 || readFromDisk(t, v, "F/theirs.md") != "theirs" || readFromDisk(t, v, "F/.hidden") != "h" || readFromDisk(t, v, "links.md") != "[[F/a]]" || existsOnDisk(v, "Archive") {
		t.Errorf("%+v, %v", u, err)
	}
}

// TestUndoOfLargeFiles: files too large for the journal are not restored, and the message says where they are.
func TestUndoOfLargeFiles(t *testing.T) {
	v := journaledTest(t, map[string]string{"F/small.md": "s"})
	large := filepath.Join(v.dir, "F/large.bin")
	sparse := func() {
		f, err := os.Create(large)
		mustTest(t, err)
		mustTest(t, errors.Join(f.Truncate(maxKept+1), f.Close()))
	}
	sparse()
	_, err := v.Delete(inTurn(t, "deleted"), "F", true)
	mustTest(t, err)
	mustTest(t, v.History.EndTurn("deleted"))
	if c := lastChange(t, v); len(c.Files) != 2 || c.Files[0].Kept || !c.Files[1].Kept {
		t.Fatalf("%+v", c.Files)
	}
	u, err := v.History.Undo(t.Context(), "")
	if err != nil || len(u.Refused) != 1 || u.Refused[0].Path != "F/large.bin" || !strings.Contains(u.Refused[0].Why, "too large for the journal (67108865 bytes), so it is left unchanged. What was deleted is in the trash (.trash/F)") || readFromDisk(t, v, "F/small.md") != "s" {
		t.Errorf("%+v, %v", u, err)
	}

	sparse()
	_, err = v.Write(inTurn(t, "overwrote"), "F/large.bin", []byte("short"), "")
	mustTest(t, err)
	mustTest(t, v.History.EndTurn("overwrote"))
	u, err = v.History.Undo(t.Context(), "")
	if err != nil || len(u.Refused) != 1 || !strings.Contains(u.Refused[0].Why, "were too large for the journal") || readFromDisk(t, v, "F/large.bin") != "short" {
		t.Errorf("%+v, %v", u, err)
	}
}

// TestUndoReportsMissing: files that the journal could not list are reported first, with their number.
func TestUndoReportsMissing(t *testing.T) {
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		t.Skip("the file system rejects such names")
	}
	v := journaledTest(t, map[string]string{"F/a.md": "a", "F/b.md": "b", "F/\xff.md": "no JSON can name it"})
	_, err := v.Delete(inTurn(t, "x"), "F", true)
	mustTest(t, err)
	mustTest(t, v.History.EndTurn("x"))
	u, err := v.History.Undo(t.Context(), "")
	if err != nil || !slices.Equal(u.Lines, []string{"restored F/ (2 of 3 files)"}) || len(u.Refused) != 1 ||
		u.Refused[0].Why != `"F" had 1 more file that the journal did not keep. What was deleted is in the trash (.trash/F): restore it from there.` || readFromDisk(t, v, "F/b.md") != "b" {
		t.Errorf("%+v, %v", u, err)
	}
	turns, err := v.History.Turns(t.Context(), 0)
	if err != nil || turns[0].Changes[0].Text() != u.Lines[0] || turns[0].Changes[0].More != 1 {
		t.Errorf("%+v, %v", turns[0], err)
	}
	u, err = v.History.Redo(t.Context())
	if err != nil || len(u.Refused) > 0 || !slices.Equal(u.Lines, []string{"removed F/ (2 files)"}) || existsOnDisk(v, "F") {
		t.Errorf("%+v, %v", u, err)
	}
}

// TestNoChangeWithoutRecord: if the journal cannot be written, nothing is changed and the error has a remedy.
func TestNoChangeWithoutRecord(t *testing.T) {
	v := journaledTest(t, map[string]string{"a.md": "old", ".smarthole/journal": "a file"})
	_, err := v.Write(t.Context(), "a.md", []byte("new"), "")
	if err == nil || !strings.Contains(err.Error(), "is not a folder; move it away") || !strings.Contains(err.Error(), "Nothing was changed") || readFromDisk(t, v, "a.md") != "old" {
		t.Error(err)
	}
}

// TestFailedChange: a failed change leaves nothing behind, is recorded as failed, and cannot be undone.
func TestFailedChange(t *testing.T) {
	for _, step := range []atomicfile.Step{atomicfile.StepCreate, atomicfile.StepWrite, atomicfile.StepSync, atomicfile.StepRename} {
		v := journaledTest(t, map[string]string{"a.md": "old"})
		v.files = atomicfile.Writer{Fault: func(s atomicfile.Step, _ string) error {
			if s == step {
				return syscall.ENOSPC
			}
			return nil
		}}
		if _, err := v.Write(t.Context(), "new/deep/a.md", []byte("new"), ""); err == nil || existsOnDisk(v, "new") {
			t.Errorf("%s: %v", step, err)
		}
		if _, err := v.Write(t.Context(), "a.md", []byte("new"), ""); err == nil || readFromDisk(t, v, "a.md") != "old" {
			t.Errorf("%s: %v", step, err)
		}
		if c := lastChange(t, v); c.State != journal.Failed || !strings.Contains(c.Reason, "full") {
			t.Errorf("%s: %s, %s", step, c.State, c.Reason)
		}
		if _, err := v.History.Undo(t.Context(), ""); !errors.Is(err, ErrNothingToUndo) {
			t.Errorf("%s: %v", step, err)
		}
	}
	// The change happened; only the sync of the folder failed.
	v := journaledTest(t, map[string]string{"a.md": "old"})
	v.files = atomicfile.Writer{Fault: func(s atomicfile.Step, _ string) error {
		if s == atomicfile.StepSyncDir {
			return syscall.EIO
		}
		return nil
	}}
	_, err := v.Write(t.Context(), "a.md", []byte("new"), "")
	v.files = atomicfile.Writer{}
	if c := lastChange(t, v); err == nil || c.State != journal.Done || readFromDisk(t, v, "a.md") != "new" {
		t.Errorf("%+v, %v", c, err)
	}
	if _, err := v.History.Undo(t.Context(), ""); err != nil || readFromDisk(t, v, "a.md") != "old" {
		t.Error(err)
	}
}

// interruptChange records a change as planned and stops there.
func interruptChange(t *testing.T, v *Vault, c Change, planned []byte) {
	t.Helper()
	_, err := beginChange(inTurn(t, "cut"), v, c, planned)
	mustTest(t, err)
	mustTest(t, v.History.journal.Close()) // as if the process had exited
}

// TestRecover: the outcome of an interrupted change is determined before the next one.
func TestRecover(t *testing.T) {
	tests := map[string]struct {
		change  Change
		planned string
		do      func(dir string) error // performed before the interruption
		state   journal.State
		files   map[string]string // afterwards
	}{
		"not begun": {Change{Op: "overwrite", Path: "a.md"}, "new", nil, journal.Failed, map[string]string{"a.md": "a"}},
		"written": {
			Change{Op: "overwrite", Path: "a.md"},
			"new",
			func(dir string) error { return os.WriteFile(filepath.Join(dir, "a.md"), []byte("new"), 0o644) },
			journal.Done,
			map[string]string{"a.md": "new"},
		},
		"another program changed the file": {
			Change{Op: "overwrite", Path: "a.md"},
			"new",
			func(dir string) error { return os.WriteFile(filepath.Join(dir, "a.md"), []byte("theirs"), 0o644) },
			journal.Unclear,
			map[string]string{"a.md": "theirs"},
		},
		"its folders were created": {
			Change{Op: "create", Path: "x/y/b.md", Folders: []string{"x", "x/y"}},
			"new",
			func(dir string) error { return os.MkdirAll(filepath.Join(dir, "x/y"), 0o755) },
			journal.Failed,
			map[string]string{"a.md": "a"},
		},
		"deleted": {
			Change{Op: "delete", Path: "a.md"},
			"",
			func(dir string) error {
				return errors.Join(os.Mkdir(filepath.Join(dir, ".trash"), 0o755), os.Rename(filepath.Join(dir, "a.md"), filepath.Join(dir, ".trash/a.md")))
			},
			journal.Done,
			map[string]string{"F/f.md": "f"},
		},
		"moved, with half of the links": {
			Change{Op: "move", Path: "a.md", NewPath: "b.md", Rewrites: []Rewrite{
				{Path: "F/f.md", NewPath: "F/f.md", Links: 1, Before: []byte("f"), After: []byte("F")},
				{Path: "g.md", NewPath: "g.md", Links: 1, Before: []byte("g"), After: []byte("G")},
			}},
			"",
			func(dir string) error {
				return errors.Join(os.WriteFile(filepath.Join(dir, "F/f.md"), []byte("F"), 0o644), os.Rename(filepath.Join(dir, "a.md"), filepath.Join(dir, "b.md")))
			},
			journal.Failed,
			map[string]string{"a.md": "a", "F/f.md": "f", "g.md": "g"},
		},
		"moved, and another program changed one of the links": {
			Change{Op: "move", Path: "a.md", NewPath: "b.md", Rewrites: []Rewrite{
				{Path: "F/f.md", NewPath: "F/f.md", Links: 1, Before: []byte("f"), After: []byte("F")},
				{Path: "g.md", NewPath: "g.md", Links: 1, Before: []byte("g"), After: []byte("G")},
			}},
			"",
			func(dir string) error {
				return errors.Join(os.WriteFile(filepath.Join(dir, "F/f.md"), []byte("F"), 0o644), os.WriteFile(filepath.Join(dir, "g.md"), []byte("theirs"), 0o644))
			},
			journal.Unclear,
			map[string]string{"a.md": "a", "F/f.md": "f", "g.md": "theirs"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			v := journaledTest(t, map[string]string{"a.md": "a", "F/f.md": "f", "g.md": "g"})
			var planned []byte
			if test.planned != "" {
				planned = []byte(test.planned)
			}
			interruptChange(t, v, test.change, planned)
			if test.do != nil {
				mustTest(t, test.do(v.dir))
			}
			if c := lastChange(t, v); c.State != journal.Planned {
				t.Errorf("before: %s", c.State)
			}
			_, err := v.Write(inTurn(t, "next"), "next.md", []byte("next"), "") // recovers it
			mustTest(t, err)
			turns, err := v.History.Turns(t.Context(), 0)
			mustTest(t, err)
			cut := turns[1]
			if c := cut.Changes[0]; c.State != test.state || !cut.Cut() {
				t.Errorf("%s (%s), cut: %v", c.State, c.Reason, cut.Cut())
			}
			for name, text := range test.files {
				if readFromDisk(t, v, name) != text {
					t.Errorf("%s holds %q", name, readFromDisk(t, v, name))
				}
			}
			if existsOnDisk(v, "x") || test.state == journal.Failed && existsOnDisk(v, "b.md") {
				t.Error("the file still exists")
			}
			if test.state == journal.Done {
				u, err := v.History.Undo(t.Context(), "cut")
				if err != nil || len(u.Refused) > 0 || readFromDisk(t, v, "a.md") != "a" {
					t.Errorf("%+v, %v", u, err)
				}
			}
		})
	}
}

// TestUndoSelection covers the choice of the turn to undo.
func TestUndoSelection(t *testing.T) {
	v := journaledTest(t, nil)
	if _, err := v.History.Undo(t.Context(), ""); !errors.Is(err, ErrNothingToUndo) {
		t.Error(err)
	}
	for _, turn := range []string{"20261121-100000-aa", "20261121-100000-ab", "20261121-110000-cc"} {
		_, err := v.Write(inTurn(t, turn), turn+".md", []byte("x"), "")
		mustTest(t, err)
		if turn[9:11] != "11" {
			mustTest(t, v.History.EndTurn(turn))
		}
	}
	for id, want := range map[string]error{"": ErrTurnRuns, "20261121-11": ErrTurnRuns, "20261121-10": vaulterr.KindAmbiguous, "2027": vaulterr.KindNotFound} {
		if _, err := v.History.Undo(t.Context(), id); !errors.Is(err, want) {
			t.Errorf("%q: %v", id, err)
		}
	}
	if _, err := v.History.Undo(t.Context(), "20261121-10"); err == nil || !strings.Contains(err.Error(), "the beginning of 2 turns") {
		t.Error(err)
	}
	mustTest(t, v.History.EndTurn("20261121-110000-cc"))
	if u, err := v.History.Undo(t.Context(), "20261121-100000-AB"); err != nil || u.Turn.Turn != "20261121-100000-ab" {
		t.Error(u, err)
	}
	if _, err := v.History.Undo(t.Context(), "20261121-100000-ab"); !errors.Is(err, ErrUndone) {
		t.Error(err)
	}
	for _, want := range []string{"20261121-110000-cc", "20261121-100000-aa"} {
		if u, err := v.History.Undo(t.Context(), ""); err != nil || u.Turn.Turn != want {
			t.Errorf("%s, want %s: %v", u.Turn.Turn, want, err)
		}
	}
	none, err := Open(v.dir)
	mustTest(t, err)
	defer func() { _ = none.Close() }()
	if _, err := none.History.Undo(t.Context(), ""); !errors.Is(err, ErrNoJournal) {
		t.Error(err)
	}
}

// TestUndoAcrossProcesses: concurrent changes of two processes are recorded by turn and can be undone.
func TestUndoAcrossProcesses(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	v := journaledTest(t, map[string]string{"a.md": "a"})
	w, err := Open(v.dir)
	mustTest(t, err)
	defer func() { _ = w.Close() }()
	j := keepJournal(t, w)
	defer func() { _ = j.Close() }()
	before := snapshot(v.dir)
	var wg sync.WaitGroup
	for i, one := range []*Vault{v, w} {
		wg.Go(func() {
			for n := range 5 {
				turn := fmt.Sprintf("turn-%d-%d", i, n)
				for k := range 3 {
					if _, err := one.Write(inTurn(t, turn), fmt.Sprintf("%s/%d.md", turn, k), fmt.Appendf(nil, "%d", n*k), ""); err != nil {
						t.Error(err)
					}
				}
				if err := one.History.EndTurn(turn); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	turns, err := w.History.Turns(t.Context(), 0)
	if err != nil || len(turns) != 10 {
		t.Fatalf("%d turns, %v", len(turns), err)
	}
	for i := range turns {
		if len(turns[i].Changes) != 3 || turns[i].Cut() {
			t.Errorf("%+v", turns[i])
		}
		if u, err := v.History.Undo(t.Context(), ""); err != nil || len(u.Refused) > 0 {
			t.Errorf("%+v, %v", u, err)
		}
	}
	if d := differences(snapshot(v.dir), before); len(d) > 0 {
		t.Error(d)
	}
}

// TestUndoOfForeignFolder: other programs' files in a deleted folder are restored with it from the journal, even if
// the trash is empty.
func TestUndoOfForeignFolder(t *testing.T) {
	files := map[string]string{"F/a.md": "a", "F/.git/config": "c", "F/.git/hooks/pre-commit": "#!/bin/sh\n", "F/.hg/hgrc": "x", "F/.note": "n"}
	for _, trash := range []string{"system", "none", "local"} {
		t.Run(trash, func(t *testing.T) {
			t.Setenv("XDG_DATA_HOME", t.TempDir())
			v := journaledTest(t, files)
			mustTest(t, os.WriteFile(filepath.Join(v.dir, ".obsidian/app.json"), []byte(`{"trashOption":"`+trash+`"}`), 0o644))
			mustTest(t, os.Chmod(filepath.Join(v.dir, "F/.git/hooks/pre-commit"), 0o755))
			state := t.TempDir()
			v.KeepTrash(func(bool) (*os.Root, error) { return os.OpenRoot(state) })
			before := snapshot(v.dir)
			_, err := v.Delete(inTurn(t, "x"), "F", true)
			mustTest(t, err)
			mustTest(t, v.History.EndTurn("x"))
			mustTest(t, os.RemoveAll(filepath.Join(v.dir, ".trash")))
			u, err := v.History.Undo(t.Context(), "")
			if err != nil || !slices.Equal(u.Lines, []string{"restored F/ (5 files)"}) || len(u.Refused) > 0 {
				t.Errorf("%+v, %v", u, err)
			}
			if d := differences(snapshot(v.dir), before); len(d) > 0 {
				t.Error(d)
			}
			u, err = v.History.Redo(t.Context())
			if err != nil || len(u.Refused) > 0 || existsOnDisk(v, "F") {
				t.Errorf("%+v, %v", u, err)
			}
		})
	}
}
