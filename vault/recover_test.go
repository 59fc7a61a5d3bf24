//go:build unix

package vault

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"chatvault/internal/base/atomicfile"
	"chatvault/vault/journal"
)

// cutEnv makes the test binary a process that dies during a change. It contains the name of the cutCase, the step at
// which the process kills itself (0 if it is killed by its parent), and the vault.
const cutEnv = "CHATVAULT_TEST_CUT_CHANGE"

// cutCase is a vault, earlier changes, and the change that is interrupted.
type cutCase struct {
	files  map[string]string
	before func(*Vault)
	change func(*Vault)
}

func write(v *Vault, name, text string) {
	_, err := v.Write(context.Background(), name, []byte(text), "")
	must(err)
}

// linkedNotes returns n notes that link to Projects/a.md.
func linkedNotes(n int) map[string]string {
	files := map[string]string{"Projects/a.md": "I am [[a]] myself\n", "app/x.md": "no link"}
	for i := range n {
		files[fmt.Sprintf("Notes/n%d.md", i)] = fmt.Sprintf("note %d: [[Projects/a]] and [a](../Projects/a.md)\n", i)
	}
	return files
}

// moveLinked moves Projects/a.md with the links to it.
func moveLinked(v *Vault) {
	c, err := v.Move(context.Background(), "Projects/a.md", "Archive/2026/b.md")
	must(err)
	if len(c.Rewrites) == 0 {
		panic("no link was changed")
	}
}

// rewriteNotes changes all notes in Notes together.
func rewriteNotes(v *Vault) {
	r := Request{Op: OpRewrite}
	names, err := os.ReadDir(filepath.Join(v.dir, "Notes"))
	must(err)
	for _, name := range names {
		f, err := v.Read(context.Background(), "Notes/"+name.Name())
		must(err)
		r.Rewrites = append(r.Rewrites, Rewrite{Path: f.Path, NewPath: f.Path, Links: 1, Before: f.Data, After: append([]byte("# New\n"), f.Data...)})
	}
	c, err := v.Do(context.Background(), r, nil)
	must(err)
	if len(c.Refused) > 0 || len(c.Rewrites) != len(names) {
		panic(fmt.Sprint(c.Refused))
	}
}

// partlyMoved leaves the partial move of a killed process: the note has its new name, and half of the links are
// updated.
func partlyMoved(v *Vault) {
	c := Change{Op: "move", Path: "Projects/a.md", NewPath: "Archive/b.md", Folders: []string{"Archive"}}
	for i := range 4 {
		name := fmt.Sprintf("Notes/n%d.md", i)
		before, err := os.ReadFile(filepath.Join(v.dir, name))
		must(err)
		after := []byte(strings.ReplaceAll(string(before), "a", "b"))
		c.Rewrites = append(c.Rewrites, Rewrite{Path: name, NewPath: name, Links: 2, Before: before, After: after})
	}
	_, err := beginChange(context.Background(), v, c, nil)
	must(err)
	for _, r := range c.Rewrites[:2] {
		must(os.WriteFile(filepath.Join(v.dir, r.Path), r.After, 0o640))
	}
	must(os.Mkdir(filepath.Join(v.dir, "Archive"), 0o755))
	must(os.Rename(filepath.Join(v.dir, c.Path), filepath.Join(v.dir, c.NewPath)))
}

func undo(v *Vault) {
	u, err := v.History.Undo(context.Background(), "")
	must(err)
	if len(u.Refused) > 0 {
		panic(fmt.Sprint(u.Refused))
	}
}

var cutStories = map[string]cutCase{
	"overwrite": {
		files:  map[string]string{"a.md": "old"},
		change: func(v *Vault) { write(v, "a.md", "new") },
	},
	"create": {
		change: func(v *Vault) { write(v, "new/folders/a.md", "new") },
	},
	"mkdir": {
		change: func(v *Vault) { _, _, err := v.Mkdir(context.Background(), "new/folders/x"); must(err) },
	},
	"move":           {files: linkedNotes(4), change: moveLinked},
	"move many":      {files: linkedNotes(60), change: moveLinked},
	"rewrite":        {files: linkedNotes(4), change: rewriteNotes},
	"rewrite many":   {files: linkedNotes(60), change: rewriteNotes},
	"undo a rewrite": {files: linkedNotes(40), before: rewriteNotes, change: undo},
	"move a folder": {
		files:  linkedNotes(3),
		change: func(v *Vault) { _, err := v.Move(context.Background(), "Projects", "Archive/Old"); must(err) },
	},
	"undo a move": {files: linkedNotes(4), before: moveLinked, change: undo},
	"delete": {
		files:  map[string]string{"F/a.md": "a", "F/sub/.hidden": "h", "F/empty/": ""},
		change: func(v *Vault) { _, err := v.Delete(context.Background(), "F", true); must(err) },
	},
	"undo a delete": {
		files:  map[string]string{"F/a.md": "a", "F/b.md": "b", "F/sub/.hidden": "h", "F/empty/": ""},
		before: func(v *Vault) { _, err := v.Delete(context.Background(), "F", true); must(err) },
		change: undo,
	},
	"undo a delete without the trash": {
		files: map[string]string{"F/a.md": "a", "F/b.md": "b", "F/sub/.hidden": "h", "F/empty/": ""},
		before: func(v *Vault) {
			_, err := v.Delete(context.Background(), "F", true)
			must(err)
			must(os.RemoveAll(filepath.Join(v.dir, ".trash")))
		},
		change: undo,
	},
	"undo a creation": {
		before: func(v *Vault) { write(v, "new/folders/a.md", "new") },
		change: undo,
	},
	"recover": {
		files:  linkedNotes(4),
		before: partlyMoved,
		change: func(v *Vault) { must(v.History.Recover(context.Background())) },
	},
	"redo a creation": {
		before: func(v *Vault) { write(v, "new/folders/a.md", "new"); undo(v) },
		change: func(v *Vault) { _, err := v.History.Redo(context.Background()); must(err) },
	},
}

// openCut opens a vault with a journal that calls step at each of its steps.
func openCut(dir string, step func()) (*Vault, *journal.Journal) {
	v, err := Open(dir)
	must(err)
	j := journal.New(func(bool) (*os.Root, error) {
		if err := v.finder.Root.Mkdir(".smarthole", 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
		return v.finder.Root.OpenRoot(".smarthole")
	}, journal.Options{Step: func(string) { step() }})
	v.History.Record(j)
	v.files = atomicfile.Writer{Fault: func(atomicfile.Step, string) error { step(); return nil }}
	return v, j
}

// cutChange is the process that dies.
func cutChange(what string) {
	parts := strings.SplitN(what, ":", 3)
	at, err := strconv.Atoi(parts[1])
	must(err)
	var seen atomic.Int32 // steps come from several goroutines
	v, _ := openCut(parts[2], func() {
		if int(seen.Add(1)) == at {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
	})
	if at == 0 {
		fmt.Println("begins")
	}
	cutStories[parts[0]].change(v)
}

// runCut runs the process that dies and reports whether it died.
func runCut(t *testing.T, story string, at int, dir string, after time.Duration) (died bool) {
	t.Helper()
	exe, err := os.Executable()
	mustTest(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, exe)
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s:%d:%s", cutEnv, story, at, dir), "GORACE=atexit_sleep_ms=0")
	out, err := cmd.StdoutPipe()
	mustTest(t, err)
	mustTest(t, cmd.Start())
	if at == 0 {
		_, _ = out.Read(make([]byte, 8))
		time.Sleep(after)
		_ = cmd.Process.Kill()
	}
	err = cmd.Wait()
	status, _ := cmd.ProcessState.Sys().(syscall.WaitStatus)
	if status.Signal() == syscall.SIGKILL && ctx.Err() == nil {
		return true
	}
	mustTest(t, err)
	return false
}

// begin creates the vault of a case.
func (s cutCase) begin(t *testing.T, dir string) {
	t.Helper()
	for name, text := range s.files {
		full := filepath.Join(dir, name)
		if strings.HasSuffix(name, "/") {
			mustTest(t, os.MkdirAll(full, 0o755))
			continue
		}
		mustTest(t, os.MkdirAll(filepath.Dir(full), 0o755))
		mustTest(t, os.WriteFile(full, []byte(text), 0o640))
	}
	mustTest(t, os.MkdirAll(filepath.Join(dir, ".obsidian"), 0o755))
	mustTest(t, os.WriteFile(filepath.Join(dir, ".obsidian/app.json"), []byte(`{"trashOption":"local"}`), 0o644))
	if s.before != nil {
		v, j := openCut(dir, func() {})
		s.before(v)
		mustTest(t, errors.Join(j.Close(), v.Close()))
	}
}

// checkRecovered checks a vault after the next start: it is completely in its old or its new state, and undo works
// afterwards.
func (s cutCase) checkRecovered(t *testing.T, dir string, old, done map[string]string) {
	t.Helper()
	v, j := openCut(dir, func() {})
	defer func() { _ = errors.Join(j.Close(), v.Close()) }()
	mustTest(t, v.History.Recover(t.Context()))
	now := snapshot(dir)
	turns, err := v.History.Turns(t.Context(), 0)
	mustTest(t, err)
	var last *journal.Change
	if len(turns) > 0 {
		last = &turns[0].Changes[len(turns[0].Changes)-1]
		if last.State != journal.Done && last.State != journal.Failed {
			t.Errorf("the change is %s: %s", last.State, last.Text())
		}
	}
	switch {
	case maps.Equal(now, old):
		return
	case !maps.Equal(now, done):
		t.Errorf("neither the old nor the new state:\n%s", strings.Join(differences(now, done), "\n"))
		return
	case last == nil || last.State != journal.Done:
		t.Errorf("the change happened, but the journal does not record it: %+v", last)
		return
	}
	u, err := v.History.Undo(t.Context(), turns[0].Turn)
	if d := differences(snapshot(dir), old); err != nil || len(u.Refused) > 0 || len(d) > 0 {
		t.Errorf("after undo: %v, %v\n%s", u.Refused, err, strings.Join(d, "\n"))
	}
}

// TestCutAtEachStep kills a process with SIGKILL at each step of a change and of its journal: after the next start,
// the vault is completely in its old or its new state.
func TestCutAtEachStep(t *testing.T) {
	memory := inMemory(t)
	for name, story := range cutStories {
		if name == "move many" || name == "recover" {
			continue // separate tests cover them
		}
		t.Run(name, func(t *testing.T) {
			old, done := story.ends(t, memory, name)
			stride := rounds(3, 1)
			for at := 1 + rand.IntN(stride); ; at += stride {
				dir := folderIn(t, memory)
				story.begin(t, dir)
				died := runCut(t, name, at, dir, 0)
				story.checkRecovered(t, dir, old, done)
				if !died {
					if at < 3 {
						t.Errorf("only %d steps were seen", at-1)
					}
					return
				}
			}
		})
	}
}

// ends returns the content of a case's vault before and after the change.
func (s cutCase) ends(t *testing.T, memory, name string) (old, done map[string]string) {
	t.Helper()
	dir := folderIn(t, memory)
	s.begin(t, dir)
	old = snapshot(dir)
	if runCut(t, name, -1, dir, 0) {
		t.Fatal("it was killed")
	}
	done = snapshot(dir)
	if maps.Equal(old, done) {
		t.Fatal("the change has no effect")
	}
	return old, done
}

// TestCutAnywhere kills a process at any moment of a move with many links.
func TestCutAnywhere(t *testing.T) {
	if testing.Short() {
		t.Skip("slow; run by make test")
	}
	memory := t.TempDir() // on disk, which is slower
	story := cutStories["move many"]
	old, done := story.ends(t, memory, "move many")
	ways := map[string]int{}
	for range rounds(12, 400) {
		dir := folderIn(t, memory)
		story.begin(t, dir)
		runCut(t, "move many", 0, dir, time.Duration(rand.Int64N(int64(60*time.Millisecond))))
		if now := snapshot(dir); !maps.Equal(now, old) && !maps.Equal(now, done) {
			ways["in the middle"]++
		}
		story.checkRecovered(t, dir, old, done)
		mustTest(t, os.RemoveAll(dir))
	}
	t.Log("killed: ", slices.Sorted(maps.Keys(ways)), ways)
}

// TestCutDuringRecovery kills a process at each step of recovering an interrupted change: the next process completes
// the recovery.
func TestCutDuringRecovery(t *testing.T) {
	memory := inMemory(t)
	story := cutStories["recover"]
	half, old := story.ends(t, memory, "recover")
	for at := 1; ; at++ {
		dir := folderIn(t, memory)
		story.begin(t, dir)
		died := runCut(t, "recover", at, dir, 0)
		v, j := openCut(dir, func() {})
		mustTest(t, v.History.Recover(t.Context()))
		if d := differences(snapshot(dir), old); len(d) > 0 {
			t.Errorf("killed at step %d:\n%s", at, strings.Join(d, "\n"))
		}
		if c := lastChange(t, v); c.State != journal.Failed {
			t.Errorf("killed at step %d: the change is %s", at, c.State)
		}
		mustTest(t, errors.Join(j.Close(), v.Close()))
		if !died {
			if at < 5 {
				t.Errorf("only %d steps were seen", at-1)
			}
			break
		}
	}
	if old["Projects/a.md"] == "" || half["Projects/a.md"] != "" {
		t.Errorf("the case has changed: %v, %v", half, old)
	}
}

func folderIn(t *testing.T, memory string) string {
	t.Helper()
	dir, err := os.MkdirTemp(memory, "vault")
	mustTest(t, err)
	return dir
}
