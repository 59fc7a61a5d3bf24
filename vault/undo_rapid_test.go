package vault

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"chatvault/internal/base/atomicfile"
	"chatvault/vault/journal"
	"chatvault/vault/vaulterr"
)

// keepJournal gives a vault a journal, as the program does.
func keepJournal(t testing.TB, v *Vault) *journal.Journal {
	t.Helper()
	j := journal.New(func(make bool) (*os.Root, error) {
		if make {
			if err := v.finder.Root.Mkdir(".smarthole", 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
				return nil, err
			}
		}
		return v.finder.Root.OpenRoot(".smarthole")
	}, journal.Options{Warn: func(text string) { t.Log("warning: ", text) }})
	v.History.Record(j)
	v.KeepTrash(func(bool) (*os.Root, error) {
		if err := v.finder.Root.Mkdir(".smarthole", 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
		return v.finder.Root.OpenRoot(".smarthole")
	})
	t.Cleanup(func() { _ = j.Close() })
	return j
}

// snapshot returns the files and folders of a vault by path, without the program's own files and the trash.
func snapshot(dir string) map[string]string {
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		at, _ := filepath.Rel(dir, name)
		if at == ".smarthole" || at == ".trash" || at == ".obsidian" {
			return fs.SkipDir
		}
		info, err := e.Info()
		if err != nil || at == "." || atomicfile.IsTemp(e.Name()) {
			return err
		}
		switch {
		case e.IsDir():
			all[at] = fmt.Sprint("folder ", info.Mode().Perm())
		case e.Type()&fs.ModeSymlink != 0:
			target, _ := os.Readlink(name)
			all[at] = "link " + target
		default:
			data, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			all[at] = fmt.Sprint("file ", info.Mode().Perm(), " ", string(data))
		}
		return nil
	})
	if err != nil {
		panic(err)
	}
	return all
}

// differences returns the differences of two snapshots.
func differences(got, want map[string]string) []string {
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if got[name] != want[name] {
			lines = append(lines, fmt.Sprintf("%s: %q, want %q", name, got[name], want[name]))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(got)) {
		if _, ok := want[name]; !ok {
			lines = append(lines, fmt.Sprintf("%s: %q, want nothing", name, got[name]))
		}
	}
	return lines
}

// randomVault is a random vault with its changes.
type randomVault struct {
	t    *rapid.T
	v    *Vault
	turn int
	n    int // number of texts written, which makes each one unique
}

var (
	lifeNames = []string{
		"a.md", "b.md", "A.md", "note one.md", "x.canvas", "pic.png", ".hidden", "é.md", "e\u0301.md", "odd # name.md", "why?.md",
		"😀 [b](c).md", strings.Repeat("long ", 49) + "x.md", "trailing dot..md", "back\\slash.md",
	}
	lifeFolders = []string{".", "F", "G", "F/sub", "G/deep/down", "h a s", "# [x]"}
)

func (l *randomVault) text() string {
	l.n++
	links := ""
	for range rapid.IntRange(0, 3).Draw(l.t, "links") {
		name := rapid.SampledFrom(lifeNames).Draw(l.t, "linked")
		folder := rapid.SampledFrom(lifeFolders).Draw(l.t, "in")
		links += fmt.Sprintf("[[%s]] and [t](%s)\n", strings.TrimSuffix(name, ".md"), strings.ReplaceAll(path.Join(folder, name), " ", "%20"))
	}
	return fmt.Sprintf("text %d\n%s", l.n, links)
}

// populate creates the vault directly on disk.
func (l *randomVault) populate() {
	for range rapid.IntRange(0, 8).Draw(l.t, "files") {
		folder := rapid.SampledFrom(lifeFolders).Draw(l.t, "folder")
		must(os.MkdirAll(filepath.Join(l.v.dir, folder), 0o755))
		name := filepath.Join(l.v.dir, folder, rapid.SampledFrom(lifeNames).Draw(l.t, "name"))
		mode := rapid.SampledFrom([]fs.FileMode{0o644, 0o600, 0o664}).Draw(l.t, "mode")
		must(os.WriteFile(name, []byte(l.text()), mode))
		must(os.Chmod(name, mode))
	}
	for range rapid.IntRange(0, 2).Draw(l.t, "empty folders") {
		folder := rapid.SampledFrom(lifeFolders).Draw(l.t, "folder")
		must(os.MkdirAll(filepath.Join(l.v.dir, folder, "empty"), 0o755))
		must(os.Chmod(filepath.Join(l.v.dir, folder, "empty"), rapid.SampledFrom([]fs.FileMode{0o755, 0o700}).Draw(l.t, "mode")))
	}
	must(os.MkdirAll(filepath.Join(l.v.dir, ".obsidian"), 0o755))
	option := rapid.SampledFrom([]string{"local", "none", "system"}).Draw(l.t, "trash")
	must(os.WriteFile(filepath.Join(l.v.dir, ".obsidian/app.json"), []byte(`{"trashOption":"`+option+`"}`), 0o644))
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// somePath returns a path that exists or could exist.
func (l *randomVault) somePath(label string) string {
	there := slices.Sorted(maps.Keys(snapshot(l.v.dir)))
	there = slices.DeleteFunc(there, func(p string) bool { return strings.Contains(p, ".hidden") })
	if len(there) > 0 && rapid.IntRange(0, 9).Draw(l.t, label+" is there") > 0 {
		return rapid.SampledFrom(there).Draw(l.t, label)
	}
	return path.Join(rapid.SampledFrom(lifeFolders).Draw(l.t, label+" folder"), rapid.SampledFrom(lifeNames[:6]).Draw(l.t, label+" name"))
}

// act performs some changes in a turn; impossible ones are skipped.
func (l *randomVault) act() {
	l.turn++
	id := fmt.Sprintf("turn-%d", l.turn)
	for i := range rapid.IntRange(1, 4).Draw(l.t, "changes") {
		ctx := WithOrigin(context.Background(), Origin{Turn: id, Source: "chat", Title: id, Call: fmt.Sprint("call ", i)})
		var err error
		switch rapid.SampledFrom([]string{"write", "write", "move", "move", "delete", "mkdir"}).Draw(l.t, "what") {
		case "write":
			_, err = l.v.Write(ctx, l.somePath("written"), []byte(l.text()), "")
		case "move":
			_, err = l.v.Move(ctx, l.somePath("from"), l.somePath("to"))
		case "delete":
			_, err = l.v.Delete(ctx, l.somePath("deleted"), true)
		case "mkdir":
			_, _, err = l.v.Mkdir(ctx, l.somePath("made")+" folder")
		}
		var known *vaulterr.Error
		if err != nil && !errors.As(err, &known) {
			l.t.Fatalf("an error without a message: %v", err)
		}
	}
	must(l.v.History.EndTurn(id))
}

// inMemory returns a folder in memory, where syncing is cheap, with the system's trash in it.
func inMemory(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "vault-")
	if err != nil {
		dir = t.TempDir()
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	t.Setenv("XDG_DATA_HOME", filepath.Join(dir, "data"))
	return dir
}

func newRandomVault(t *testing.T, rt *rapid.T, memory string) *randomVault {
	dir, err := os.MkdirTemp(memory, "vault")
	must(err)
	v, err := Open(dir)
	must(err)
	t.Cleanup(func() { _ = v.Close() })
	l := &randomVault{t: rt, v: v}
	l.populate()
	keepJournal(t, v)
	return l
}

// emptyTrash sometimes removes or changes files in the trash.
func (l *randomVault) emptyTrash() {
	for _, trash := range []string{filepath.Join(l.v.dir, ".trash"), filepath.Join(l.v.dir, ".smarthole/trash"), filepath.Join(os.Getenv("XDG_DATA_HOME"), "Trash/files")} {
		switch rapid.IntRange(0, 3).Draw(l.t, "trash") {
		case 0:
			must(os.RemoveAll(trash))
		case 1:
			_ = filepath.WalkDir(trash, func(name string, e fs.DirEntry, err error) error {
				if err == nil && e.Type().IsRegular() && rapid.Bool().Draw(l.t, "changed in the trash") {
					must(os.WriteFile(name, []byte("changed in the trash"), 0o644))
				}
				return nil
			})
		}
	}
}

// TestUndoRestoresEverything: undoing all turns restores every byte and folder, turn by turn; redo brings each back;
// then the same again.
func TestUndoRestoresEverything(t *testing.T) {
	memory := inMemory(t)
	rapid.Check(t, func(rt *rapid.T) {
		l := newRandomVault(t, rt, memory)
		states := []map[string]string{snapshot(l.v.dir)}
		for range rapid.IntRange(1, 5).Draw(rt, "turns") {
			l.act()
			if turns, err := l.v.History.Turns(t.Context(), 0); err != nil {
				rt.Fatal(err)
			} else if len(turns) > len(states)-1 {
				states = append(states, snapshot(l.v.dir))
			}
		}
		check := func(what string, u Undone, err error, want map[string]string) {
			if err != nil || len(u.Refused) > 0 {
				rt.Fatalf("%s of %s: refused %v, %v\n%s", what, u.Turn.Turn, u.Refused, err, strings.Join(u.Lines, "\n"))
			}
			if d := differences(snapshot(l.v.dir), want); len(d) > 0 {
				rt.Fatalf("after the %s of %s (%v):\n%s", what, u.Turn.Turn, u.Lines, strings.Join(d, "\n"))
			}
		}
		for range 2 {
			for i := len(states) - 1; i > 0; i-- {
				l.emptyTrash()
				u, err := l.v.History.Undo(t.Context(), "")
				check("undo", u, err, states[i-1])
			}
			if _, err := l.v.History.Undo(t.Context(), ""); !errors.Is(err, ErrNothingToUndo) {
				rt.Fatalf("one more undo: %v", err)
			}
			for i := 1; i < len(states); i++ {
				l.emptyTrash()
				u, err := l.v.History.Redo(t.Context())
				check("redo", u, err, states[i])
			}
			if _, err := l.v.History.Redo(t.Context()); !errors.Is(err, ErrNothingToRedo) {
				rt.Fatalf("one more redo: %v", err)
			}
		}
	})
}

// TestUndoKeepsOtherChanges: text that other programs wrote since remains unchanged after all undos.
func TestUndoKeepsOtherChanges(t *testing.T) {
	memory := inMemory(t)
	rapid.Check(t, func(rt *rapid.T) {
		l := newRandomVault(t, rt, memory)
		written := map[string]string{}
		for range rapid.IntRange(1, 4).Draw(rt, "turns") {
			l.act()
			for range rapid.IntRange(0, 2).Draw(rt, "edits") {
				l.n++
				text := fmt.Sprintf("theirs %d", l.n)
				name := filepath.Join(l.v.dir, l.somePath("theirs"))
				if os.MkdirAll(filepath.Dir(name), 0o755) != nil {
					continue
				}
				if old, err := os.ReadFile(name); err == nil {
					delete(written, string(old))
				}
				if os.WriteFile(name, []byte(text), 0o644) == nil {
					written[text] = name
				}
			}
		}
		l.takeLost(t, written) // a turn may have changed the text
		turns, err := l.v.History.Turns(t.Context(), 0)
		must(err)
		for _, turn := range turns {
			if _, err := l.v.History.Undo(t.Context(), turn.Turn); err != nil && !errors.Is(err, ErrNothingToUndo) {
				rt.Fatal(err)
			}
			for _, text := range l.takeLost(t, written) {
				rt.Fatalf("the undo of %s lost the text written to %s", turn.Turn, written[text])
			}
		}
	})
}

// takeLost returns the texts that are no longer in the vault and removes them from written.
func (l *randomVault) takeLost(t *testing.T, written map[string]string) (lost []string) {
	t.Helper()
	there := map[string]bool{}
	for _, what := range snapshot(l.v.dir) {
		if i := strings.Index(what, "theirs "); i >= 0 {
			there[what[i:]] = true
		}
	}
	for text := range written {
		if !there[text] {
			lost = append(lost, text)
		}
	}
	for _, text := range lost {
		delete(written, text)
	}
	return lost
}
