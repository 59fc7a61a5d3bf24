package statedir

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// place is a folder for vaults and one for their state.
type place struct {
	t    *testing.T
	dir  string
	dirs Dirs
}

func newPlace(t *testing.T) place {
	dir := t.TempDir()
	if !identify(dir).known() {
		t.Skip("the file system does not tell when a folder was made")
	}
	return place{t, dir, Dirs{Base: filepath.Join(dir, "state", "vaults")}}
}

// vault creates a vault with notes of these names.
func (p place) vault(name string, notes ...string) string {
	p.t.Helper()
	at := filepath.Join(p.dir, name)
	if err := os.MkdirAll(at, 0o755); err != nil {
		p.t.Fatal(err)
	}
	for _, n := range notes {
		if err := os.WriteFile(filepath.Join(at, n), []byte(n), 0o644); err != nil {
			p.t.Fatal(err)
		}
	}
	return at
}

// say writes to the state of a vault; said reads it.
func (p place) say(vault, text string) {
	p.t.Helper()
	root, err := p.dirs.Open(vault)
	if err != nil {
		p.t.Fatal(err)
	}
	defer func() { _ = root.Close() }()
	if err := os.MkdirAll(filepath.Join(root.Name(), "inbox"), 0o700); err != nil {
		p.t.Fatal(err)
	}
	if err := root.WriteFile("inbox/1.json", []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

func (p place) said(vault string) string {
	p.t.Helper()
	root, err := p.dirs.Open(vault)
	if err != nil {
		p.t.Fatal(err)
	}
	defer func() { _ = root.Close() }()
	data, _ := root.ReadFile("inbox/1.json")
	return string(data)
}

func (p place) rename(from, to string) string {
	p.t.Helper()
	to = filepath.Join(p.dir, to)
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.Rename(from, to); err != nil {
		p.t.Fatal(err)
	}
	return to
}

func (p place) is(vault, want, why string) {
	p.t.Helper()
	if got := p.said(vault); got != want {
		p.t.Errorf("%s: %q, want %q", why, got, want)
	}
}

func TestStateStaysWithTheVault(t *testing.T) {
	p := newPlace(t)
	a := p.vault("Notes", "a.md", "b.md", "c.md")
	p.say(a, "mine")
	p.is(a, "mine", "opened again")

	link := filepath.Join(p.dir, "link")
	if err := os.Symlink(a, link); err != nil {
		t.Fatal(err)
	}
	p.is(link, "mine", "through a link")

	b := p.rename(a, "elsewhere/deep/Renamed")
	p.is(b, "mine", "moved")
	p.is(p.rename(b, "Notes"), "mine", "moved back")

	// A copy is another vault.
	c := p.vault("Copy", "a.md", "b.md", "c.md")
	p.is(c, "", "a copy")
	p.say(c, "the copy's")
	p.is(a, "mine", "beside a copy")

	// A vault restored from a backup at its old path is the same.
	if err := os.RemoveAll(a); err != nil {
		t.Fatal(err)
	}
	p.is(p.vault("Notes", "a.md", "b.md", "d.md"), "mine", "restored")
}

// TestVaultsDoNotShareState: neither its content nor its location gives a vault the state of another.
func TestVaultsDoNotShareState(t *testing.T) {
	p := newPlace(t)
	for i, moved := range []string{"Notes (old)", "elsewhere/Notes"} {
		name := fmt.Sprint("Notes", i)
		a := p.vault(name, "a.md", "b.md")
		p.say(a, "mine")
		away := p.rename(a, moved)
		stranger := p.vault(name, "x.md", "y.md", "z.md")
		record, err := os.ReadFile(filepath.Join(p.dirs.Base, folderName(a), recordFile))
		if err != nil {
			t.Fatal(err)
		}
		for _, folder := range []string{stranger, filepath.Join(stranger, ".smarthole")} {
			_ = os.MkdirAll(folder, 0o755)
			_ = os.WriteFile(filepath.Join(folder, recordFile), record, 0o644)
		}
		p.is(stranger, "", "a stranger's vault in the place of one that was moved to "+moved)
		p.say(stranger, "theirs")
		p.is(away, "mine", "the one that was moved to "+moved)
		p.is(stranger, "theirs", "the stranger's, again")
		if err := os.RemoveAll(away); err != nil {
			t.Fatal(err)
		}
		if err := os.RemoveAll(stranger); err != nil {
			t.Fatal(err)
		}
	}
	// The same applies to one with the same names, if the other exists next to it.
	a := p.vault("Twin", "a.md", "b.md")
	p.say(a, "mine")
	p.rename(a, "Twin (old)")
	p.is(p.vault("Twin", "a.md", "b.md"), "", "a twin in the place of one that was renamed")
}

func TestMoved(t *testing.T) {
	p := newPlace(t)
	a := p.vault("Notes", "a.md")
	p.say(a, "mine")
	b := p.vault("Far", "a.md") // as on another file system
	if err := p.dirs.Moved(a, b); err == nil || !strings.Contains(err.Error(), "still there") {
		t.Errorf("the state of a vault that is there was given away: %v", err)
	}
	if err := os.RemoveAll(a); err != nil {
		t.Fatal(err)
	}
	if err := p.dirs.Moved(filepath.Join(p.dir, "None"), b); err == nil || !strings.Contains(err.Error(), "nothing is kept") {
		t.Error(err)
	}
	p.is(b, "", "before")
	if err := p.dirs.Moved(a, b); err != nil {
		t.Fatal(err)
	}
	p.is(b, "mine", "after")
	c := p.vault("Third", "a.md")
	p.say(c, "other")
	if err := os.RemoveAll(b); err != nil {
		t.Fatal(err)
	}
	if err := p.dirs.Moved(b, c); err == nil || !strings.Contains(err.Error(), "two histories") {
		t.Errorf("two histories were made one: %v", err)
	}
}

func TestStateIsPrivate(t *testing.T) {
	p := newPlace(t)
	a := p.vault("Notes", "a.md")
	p.say(a, "mine")
	root, err := p.dirs.Open(a)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = root.Close() }()
	if err := os.Chmod(root.Name(), 0o755); err != nil {
		t.Fatal(err)
	}
	p.is(a, "mine", "open to others")
	for _, path := range []string{p.dirs.Base, root.Name(), filepath.Join(root.Name(), recordFile)} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
}

// TestDamagedRecord: a damaged or missing record loses nothing, because the folder's name identifies the vault.
func TestDamagedRecord(t *testing.T) {
	p := newPlace(t)
	a := p.vault("Notes", "a.md")
	p.say(a, "mine")
	record := filepath.Join(p.dirs.Base, folderName(a), recordFile)
	for _, bytes := range []string{"", "{", `{"schema":0}`, strings.Repeat("x", maxRecord+1)} {
		if err := os.WriteFile(record, []byte(bytes), 0o600); err != nil {
			t.Fatal(err)
		}
		p.is(a, "mine", fmt.Sprintf("with %.20q", bytes))
	}
	if err := os.Remove(record); err != nil {
		t.Fatal(err)
	}
	p.is(a, "mine", "without a record")
}

// TestConcurrentFirstOpen: processes that open a new vault at the same time agree on its state.
func TestConcurrentFirstOpen(t *testing.T) {
	p := newPlace(t)
	a := p.vault("Notes", "a.md")
	var wg sync.WaitGroup
	names := make([]string, 20)
	for i := range names {
		wg.Go(func() {
			root, err := Dirs{Base: p.dirs.Base}.Open(a)
			if err != nil {
				t.Error(err)
				return
			}
			names[i] = root.Name()
			_ = root.Close()
		})
	}
	wg.Wait()
	for _, n := range names {
		if n != names[0] {
			t.Fatalf("%q and %q", n, names[0])
		}
	}
}

func TestLookCreatesNothing(t *testing.T) {
	p := newPlace(t)
	a := p.vault("Notes", "a.md")
	if p.dirs.Exists(a) {
		t.Error("there is state")
	}
	if _, err := os.Stat(filepath.Dir(p.dirs.Base)); err == nil {
		t.Error("a look made a folder")
	}
	p.say(a, "mine")
	if !p.dirs.Exists(a) {
		t.Error("there is none")
	}
	if list, err := p.dirs.All(); err != nil || len(list) != 1 || list[0].Path != a {
		t.Errorf("%+v, %v", list, err)
	}
}
