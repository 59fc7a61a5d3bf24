package vault

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"go.uber.org/goleak"

	"chatvault/internal/base/atomicfile"
	"chatvault/vault/fsys"
	"chatvault/vault/vaulterr"
)

func TestWrite(t *testing.T) {
	v := newTest(t, map[string]string{"old.md": "old", "folder/x.md": "x"})
	mustTest(t, os.Chmod(filepath.Join(v.dir, "old.md"), 0o640))

	c, err := v.Write(t.Context(), "new/deep/a.md", []byte("a\r\n"), "")
	if err != nil || c.Op != "create" || c.Path != "new/deep/a.md" || !slices.Equal(c.Folders, []string{"new", "new/deep"}) {
		t.Errorf("create: %+v, %v", c, err)
	}
	c, err = v.Write(t.Context(), "OLD.md", []byte("new"), "")
	if err != nil || c.Op != "overwrite" || c.Path != "old.md" || readFromDisk(t, v, "old.md") != "new" {
		t.Errorf("overwrite: %+v, %v", c, err)
	}
	if info, err := os.Stat(filepath.Join(v.dir, "old.md")); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("mode: %v, %v", info.Mode(), err)
	}
	c, err = v.Write(t.Context(), "Folder/B.md", []byte("b"), "")
	if err != nil || c.Path != "folder/B.md" || len(c.Folders) != 0 {
		t.Errorf("in a folder named in another case: %+v, %v", c, err)
	}
	for given, kind := range map[string]error{
		"folder": vaulterr.KindIsFolder, "old.md/x.md": vaulterr.KindNotFolder, "old.md/x/y.md": vaulterr.KindNotFolder, ".": vaulterr.KindDenied, "x/.y/z.md": vaulterr.KindDenied,
		"a?.md": vaulterr.KindDenied, "new folder./a.md": vaulterr.KindDenied, strings.Repeat("d/", 64) + "x.md": vaulterr.KindDenied,
	} {
		if c, err := v.Write(t.Context(), given, []byte("x"), ""); !errors.Is(err, kind) {
			t.Errorf("%q: %+v, %v", given, c, err)
		}
	}
	if existsOnDisk(v, "new folder.") || existsOnDisk(v, "d") {
		t.Error("a refused write created folders")
	}
}

func TestWriteIfHash(t *testing.T) {
	v := newTest(t, map[string]string{"a.md": "one"})
	f, err := v.Read(t.Context(), "a.md")
	mustTest(t, err)
	_, err = v.Write(t.Context(), "a.md", []byte("two"), f.Hash)
	mustTest(t, err)
	_, err = v.Write(t.Context(), "a.md", []byte("three"), f.Hash)
	if !errors.Is(err, vaulterr.KindChanged) || !strings.Contains(err.Error(), "read it again") || readFromDisk(t, v, "a.md") != "two" {
		t.Errorf("a stale hash: %v", err)
	}
	_, err = v.Write(t.Context(), "gone.md", []byte("x"), f.Hash)
	if !errors.Is(err, vaulterr.KindChanged) || existsOnDisk(v, "gone.md") {
		t.Errorf("a deleted file: %v", err)
	}
	// Rewriting the same bytes is not a change: the hash decides, not the time.
	mustTest(t, os.WriteFile(filepath.Join(v.dir, "a.md"), []byte("two"), 0o644))
	_, err = v.Write(t.Context(), "a.md", []byte("four"), Hash([]byte("two")))
	mustTest(t, err)
}

// TestChangeWhileWriting changes the note after the first check and before the rename: the change is detected.
func TestChangeWhileWriting(t *testing.T) {
	v := newTest(t, map[string]string{"a.md": "one"})
	v.files.Fault = func(s atomicfile.Step, _ string) error {
		if s == atomicfile.StepSync {
			return os.WriteFile(filepath.Join(v.dir, "a.md"), []byte("theirs"), 0o644)
		}
		return nil
	}
	_, err := v.Write(t.Context(), "a.md", []byte("ours"), Hash([]byte("one")))
	if !errors.Is(err, vaulterr.KindChanged) || readFromDisk(t, v, "a.md") != "theirs" {
		t.Errorf("%v; the note holds %q", err, readFromDisk(t, v, "a.md"))
	}
	v.files.Fault = func(s atomicfile.Step, _ string) error {
		if s == atomicfile.StepSync {
			return os.WriteFile(filepath.Join(v.dir, "new.md"), []byte("theirs"), 0o644)
		}
		return nil
	}
	_, err = v.Write(t.Context(), "new.md", []byte("ours"), "")
	if !errors.Is(err, vaulterr.KindChanged) || readFromDisk(t, v, "new.md") != "theirs" {
		t.Errorf("%v; the new note holds %q", err, readFromDisk(t, v, "new.md"))
	}
	entries, err := os.ReadDir(v.dir)
	if err != nil || len(entries) != 2 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}

// TestFailingDisk fails each step of a write.
func TestFailingDisk(t *testing.T) {
	for _, step := range []atomicfile.Step{atomicfile.StepCreate, atomicfile.StepWrite, atomicfile.StepSync, atomicfile.StepRename} {
		for _, reason := range []error{syscall.EIO, syscall.ENOSPC, syscall.EROFS} {
			v := journalTest(t, map[string]string{"a.md": "old"})
			v.files.Fault = func(s atomicfile.Step, _ string) error {
				if s == step {
					return reason
				}
				return nil
			}
			for _, name := range []string{"a.md", "new/folder/b.md"} {
				_, err := v.Write(t.Context(), name, []byte("new"), "")
				if !errors.Is(err, reason) {
					t.Errorf("%s: %v", step, err)
				}
				checkSentence(t, err)
			}
			entries, err := os.ReadDir(v.dir)
			if err != nil || len(entries) != 2 || readFromDisk(t, v, "a.md") != "old" { // including the journal's folder
				t.Errorf("%s: %v, %v", step, entries, err)
			}
		}
	}
}

func TestMkdir(t *testing.T) {
	v := newTest(t, map[string]string{"a.md": "", "There/x.md": ""})
	name, created, err := v.Mkdir(t.Context(), "x/y/z")
	if err != nil || !created || name != "x/y/z" || !existsOnDisk(v, "x/y/z") {
		t.Errorf("%q, %v, %v", name, created, err)
	}
	name, created, err = v.Mkdir(t.Context(), "there/")
	if err != nil || created || name != "There" {
		t.Errorf("%q, %v, %v", name, created, err)
	}
	for given, kind := range map[string]error{"a.md": vaulterr.KindExists, "a.md/x": vaulterr.KindNotFolder, ".": vaulterr.KindDenied, "x/nul": vaulterr.KindDenied, ".trash/x": vaulterr.KindDenied} {
		if _, _, err := v.Mkdir(t.Context(), given); !errors.Is(err, kind) {
			t.Errorf("%q: %v", given, err)
		}
	}
}

func TestOutsideHardLinksAreKept(t *testing.T) {
	v := newTest(t, map[string]string{"a.md": "old"})
	outside := filepath.Join(t.TempDir(), "outside.md")
	mustTest(t, os.Link(filepath.Join(v.dir, "a.md"), outside))
	_, err := v.Write(t.Context(), "a.md", []byte("new"), "")
	mustTest(t, err)
	if data, err := os.ReadFile(outside); err != nil || string(data) != "old" {
		t.Errorf("outside: %q, %v", data, err)
	}
}

// TestConcurrentWriters has many writers append to one note by reading and writing: with the hash no addition is
// lost, whether or not they share a Vault.
func TestConcurrentWriters(t *testing.T) {
	defer goleak.VerifyNone(t)
	v := newTest(t, map[string]string{"a.md": ""})
	var wg sync.WaitGroup
	for writer := range 6 {
		own := v
		if writer%2 == 1 {
			own = openTest(t, v.dir)
		}
		wg.Go(func() {
			for n := 0; n < 5; {
				f, err := own.Read(t.Context(), "a.md")
				if err != nil {
					t.Error(err)
					return
				}
				_, err = own.Write(t.Context(), "a.md", append(f.Data, fmt.Sprintf("%d/%d\n", writer, n)...), f.Hash)
				switch {
				case err == nil:
					n++
				case !errors.Is(err, vaulterr.KindChanged):
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	if got := strings.Count(readFromDisk(t, v, "a.md"), "\n"); got != 30 {
		t.Errorf("%d lines, want 30", got)
	}
}

func TestCanceledContext(t *testing.T) {
	v := newTest(t, map[string]string{"a.md": "old"})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := v.Write(ctx, "a.md", []byte("new"), ""); !errors.Is(err, context.Canceled) || readFromDisk(t, v, "a.md") != "old" {
		t.Errorf("write: %v", err)
	}
	// Waiting for another process's change can be canceled too.
	other := openTest(t, v.dir)
	unlock, err := fsys.LockVault(t.Context(), other.finder.Root)
	mustTest(t, err)
	defer unlock()
	ctx, cancel = context.WithCancel(t.Context())
	go cancel()
	if _, err := v.Delete(ctx, "a.md", false); !errors.Is(err, context.Canceled) {
		t.Errorf("delete: %v", err)
	}
}
