//go:build unix

package vault

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"chatvault/internal/base/atomicfile"
)

// deepest is the depth of the tree: half the maximum depth of a nameable path with names of one letter, or the
// maximum in the long form.
func deepest() int {
	if os.Getenv("CHATVAULT_STRESS") != "" {
		return 2000
	}
	return 1000
}

// deepTree creates nested folders with a note in the innermost.
func deepTree(t *testing.T, v *Vault) (root *os.Root, deep string) {
	t.Helper()
	root, err := os.OpenRoot(v.dir)
	mustTest(t, err)
	t.Cleanup(func() { _ = root.Close() })
	deep = strings.TrimSuffix(strings.Repeat("d/", deepest()), "/")
	mustTest(t, errors.Join(root.MkdirAll(deep, 0o755), root.WriteFile(deep+"/n.md", []byte("deep"), 0o644)))
	return root, deep
}

// limitTime runs a step and fails if it takes more than two seconds, which allows for a busy machine or the race
// detector but not for a quadratic algorithm.
func limitTime(t *testing.T, what string, step func()) {
	t.Helper()
	used := func() time.Duration {
		var u syscall.Rusage
		mustTest(t, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	begun, before := time.Now(), used()
	step()
	took, cpu := time.Since(begun), used()-before
	t.Logf("%-30s %v, %v of CPU time", what, took.Round(time.Millisecond), cpu.Round(time.Millisecond))
	if limit := 8 * time.Second * time.Duration(deepest()) / 2000; cpu > limit {
		t.Errorf("%s took %v of CPU time, want at most %v", what, cpu, limit)
	}
	if limit := 2 * time.Second; os.Getenv("CHATVAULT_STRESS") != "" && took > limit {
		t.Errorf("%s took %v, want at most %v", what, took, limit)
	}
}

// TestDeepTree: no operation on a tree thousands of folders deep takes quadratic time, whether it finds nothing or
// affects the whole tree.
func TestDeepTree(t *testing.T) {
	if testing.Short() {
		t.Skip("slow; run by make test")
	}
	t.Setenv("TMPDIR", inMemory(t))
	v := journaledTest(t, nil)
	root, deep := deepTree(t, v)
	undo := func(do func() (Undone, error)) {
		t.Helper()
		if u, err := do(); err != nil || len(u.Refused) > 0 || len(u.Lines) != 1 {
			t.Errorf("%v, %v, %v", u.Lines, u.Refused, err)
		}
	}
	there := func() {
		t.Helper()
		if text, err := root.ReadFile(deep + "/n.md"); err != nil || string(text) != "deep" {
			t.Errorf("%q, %v", text, err)
		}
	}
	last := func() (Undone, error) { return v.History.Undo(t.Context(), "") }
	again := func() (Undone, error) { return v.History.Redo(t.Context()) }

	for _, name := range []string{deep + "/other.md", strings.ToUpper(deep) + "/OTHER.md", deep + "/n.md/n.md", deep[:len(deep)-2] + "/x/n.md"} {
		limitTime(t, "a read that fails", func() {
			if _, err := v.Read(t.Context(), name); err == nil {
				t.Error("it is there")
			}
		})
	}
	limitTime(t, "a read that is cancelled", func() {
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		begun := time.Now()
		if _, err := v.Read(ctx, strings.ToUpper(deep)+"/none.md"); !errors.Is(err, context.DeadlineExceeded) || time.Since(begun) > 2*time.Second {
			t.Errorf("%v after %v", err, time.Since(begun))
		}
	})
	limitTime(t, "a read in other letters", func() {
		if f, err := v.Read(t.Context(), strings.ToUpper(deep)+"/N.md"); err != nil || f.Path != deep+"/n.md" {
			t.Error(err)
		}
	})
	limitTime(t, "a deletion", func() { _, err := v.Delete(inTurn(t, "x"), "d", true); mustTest(t, err) })
	mustTest(t, v.History.EndTurn("x"))
	limitTime(t, "an undo out of the trash", func() { undo(last) })
	there()
	limitTime(t, "a redo", func() { undo(again) })
	mustTest(t, os.RemoveAll(filepath.Join(v.dir, ".trash")))
	v.files = atomicfile.Writer{Fault: func(s atomicfile.Step, _ string) error {
		if s == atomicfile.StepWrite {
			return syscall.ENOSPC
		}
		return nil
	}}
	limitTime(t, "an undo that fails", func() {
		if u, err := last(); err != nil || len(u.Refused) != 1 || existsOnDisk(v, "d") {
			t.Errorf("%+v, %v", u.Refused, err)
		}
	})
	v.files = atomicfile.Writer{}
	limitTime(t, "an undo out of the journal", func() { undo(last) })
	there()
	mustTest(t, root.WriteFile("d/theirs.md", []byte("theirs"), 0o644))
	limitTime(t, "a redo file by file", func() { undo(again) })
	if _, err := root.Lstat("d/d"); err == nil {
		t.Error("files are left")
	}
	limitTime(t, "an undo into what is there", func() { undo(last) })
	there()
}
