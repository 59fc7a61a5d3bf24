package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func openRoot(t testing.TB, dir string) *os.Root {
	t.Helper()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = root.Close() })
	return root
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// content returns the files of a folder by name.
func content(t testing.TB, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	entries, err := os.ReadDir(dir)
	must(t, err)
	for _, e := range entries {
		if e.Type().IsRegular() {
			data, err := os.ReadFile(filepath.Join(dir, e.Name()))
			must(t, err)
			found[e.Name()] = string(data)
		}
	}
	return found
}

func TestWriteFileModes(t *testing.T) {
	dir := t.TempDir()
	root := openRoot(t, dir)
	must(t, WriteFile(root, "new.json", []byte("1"), 0o600))
	must(t, os.WriteFile(filepath.Join(dir, "old.md"), []byte("old"), 0o644))
	must(t, os.Chmod(filepath.Join(dir, "old.md"), 0o640))
	must(t, WriteFile(root, "old.md", []byte("new"), 0o600))
	for name, want := range map[string]fs.FileMode{"new.json": 0o600, "old.md": 0o640} {
		info, err := os.Stat(filepath.Join(dir, name))
		must(t, err)
		if info.Mode().Perm() != want {
			t.Errorf("%s has mode %v, want %v", name, info.Mode(), want)
		}
	}
	if got := content(t, dir); len(got) != 2 || got["old.md"] != "new" {
		t.Errorf("%q", got)
	}
}

func TestWriteFileKeepsHardLinks(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "a"), []byte("old"), 0o644))
	must(t, os.Link(filepath.Join(dir, "a"), filepath.Join(dir, "b")))
	must(t, WriteFile(openRoot(t, dir), "a", []byte("new"), 0o644))
	if got := content(t, dir); got["a"] != "new" || got["b"] != "old" {
		t.Errorf("%q", got)
	}
}

var errDisk = errors.New("the disk is on fire")

// TestFaults fails each step of each kind of write: the old content remains, no file is left behind, and the error
// contains the reason.
func TestFaults(t *testing.T) {
	for _, step := range []Step{StepCreate, StepWrite, StepSync, StepRename, StepSyncDir} {
		for _, old := range []bool{true, false} {
			dir := t.TempDir()
			if old {
				must(t, os.WriteFile(filepath.Join(dir, "a.md"), []byte("old"), 0o644))
			}
			asked := 0
			w := Writer{Fault: func(s Step, _ string) error {
				if s == step {
					asked++
					return errDisk
				}
				return nil
			}}
			err := w.Replace(openRoot(t, dir), "a.md", []byte("new"), Options{Perm: 0o644})
			if !errors.Is(err, errDisk) || asked != 1 {
				t.Errorf("%s: error %v after %d tries, want one", step, err, asked)
			}
			want := map[string]string{}
			switch {
			case step == StepSyncDir: // the rename is done, so the content is new
				want["a.md"] = "new"
			case old:
				want["a.md"] = "old"
			}
			got := content(t, dir)
			if len(got) != len(want) || got["a.md"] != want["a.md"] {
				t.Errorf("%s, old=%v: folder holds %q, want %q", step, old, got, want)
			}
		}
	}
}

func TestExclusive(t *testing.T) {
	dir := t.TempDir()
	root := openRoot(t, dir)
	must(t, Writer{}.Replace(root, "a.md", []byte("1"), Options{Exclusive: true, Perm: 0o644}))
	err := Writer{}.Replace(root, "a.md", []byte("2"), Options{Exclusive: true})
	if !errors.Is(err, fs.ErrExist) {
		t.Errorf("over an existing file: %v", err)
	}
	// A file that appears between check and rename is not replaced either.
	w := Writer{Fault: func(step Step, _ string) error {
		if step != StepRename {
			return nil
		}
		return os.WriteFile(filepath.Join(dir, "b.md"), []byte("theirs"), 0o644)
	}}
	err = w.Replace(root, "b.md", []byte("2"), Options{Exclusive: true})
	if !errors.Is(err, fs.ErrExist) {
		t.Errorf("over a new file: %v", err)
	}
	if got := content(t, dir); len(got) != 2 || got["a.md"] != "1" || got["b.md"] != "theirs" {
		t.Errorf("%q", got)
	}
}

func TestRefusesNonRegularFiles(t *testing.T) {
	dir := t.TempDir()
	root := openRoot(t, dir)
	must(t, os.Mkdir(filepath.Join(dir, "folder"), 0o755))
	must(t, os.Symlink("elsewhere", filepath.Join(dir, "link")))
	for _, name := range []string{"folder", "link"} {
		if err := WriteFile(root, name, []byte("x"), 0o600); err == nil {
			t.Errorf("wrote over %s", name)
		}
		if err := AppendFile(root, name, []byte("x"), 0o600); err == nil {
			t.Errorf("appended to %s", name)
		}
	}
	if err := WriteFile(root, "none/a", []byte("x"), 0o600); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("in a missing folder: %v", err)
	}
}

func TestPathForms(t *testing.T) {
	dir := t.TempDir()
	real := filepath.Join(dir, "real.toml")
	link := filepath.Join(dir, "link.toml")
	must(t, WritePath(real, []byte("1"), 0o600))
	must(t, os.Symlink("real.toml", link))
	must(t, WritePath(link, []byte("2"), 0o600))
	if info, err := os.Lstat(link); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link was replaced: %v, %v", info, err)
	}
	must(t, inFolder(real, func(root *os.Root, base string) error { return AppendFile(root, base, []byte("3"), 0o600) }))
	if got := content(t, dir)["real.toml"]; got != "2\n3\n" {
		t.Errorf("%q", got)
	}
}

func TestSetAsideNeverReplaces(t *testing.T) {
	dir := t.TempDir()
	root := openRoot(t, dir)
	names := map[string]bool{}
	for range 5 {
		must(t, os.WriteFile(filepath.Join(dir, "state.json"), []byte("bad"), 0o600))
		name, err := SetAside(root, "state.json")
		must(t, err)
		names[name] = true
	}
	if len(names) != 5 || len(content(t, dir)) != 5 {
		t.Errorf("%v", names)
	}
}

func TestSweepTemps(t *testing.T) {
	dir := t.TempDir()
	root := openRoot(t, dir)
	for _, name := range []string{TempPrefix + "0011", TempPrefix + "aabb", "note.md", ".hidden"} {
		must(t, os.WriteFile(filepath.Join(dir, name), []byte("x"), 0o600))
	}
	must(t, os.Symlink("note.md", filepath.Join(dir, TempPrefix+"link")))
	// A running writer keeps its temporary file.
	w := Writer{Fault: func(step Step, _ string) error {
		if step != StepRename {
			return nil
		}
		n, err := SweepTemps(root, ".")
		if n != 2 {
			t.Errorf("swept %d, want 2", n)
		}
		return err
	}}
	must(t, w.Replace(root, "busy.md", []byte("x"), Options{}))
	if got := content(t, dir); len(got) != 3 || got["busy.md"] != "x" {
		t.Errorf("%q", got)
	}
	if n, err := SweepTemps(root, "."); n != 0 || err != nil {
		t.Errorf("swept %d more, %v", n, err)
	}
}

func TestRenameNoReplace(t *testing.T) {
	dir := t.TempDir()
	root := openRoot(t, dir)
	must(t, os.Mkdir(filepath.Join(dir, "sub"), 0o755))
	must(t, os.WriteFile(filepath.Join(dir, "a"), []byte("a"), 0o600))
	must(t, os.WriteFile(filepath.Join(dir, "sub", "b"), []byte("b"), 0o600))
	if err := RenameNoReplace(root, "a", root, "sub/b"); !errors.Is(err, fs.ErrExist) {
		t.Errorf("over a file: %v", err)
	}
	must(t, RenameNoReplace(root, "a", root, "sub/a"))
	if got := content(t, filepath.Join(dir, "sub")); got["a"] != "a" || got["b"] != "b" {
		t.Errorf("%q", got)
	}
	if err := RenameNoReplace(root, "a", root, "c"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("of nothing: %v", err)
	}
}

func TestAppend(t *testing.T) {
	dir := t.TempDir()
	root := openRoot(t, dir)
	for _, line := range []string{`{"n":1}`, "{\"n\":2}\n", "{\"n\":3}\n{\"n\":4}\n", ""} {
		must(t, AppendFile(root, "log.jsonl", []byte(line), 0o600))
	}
	if got := content(t, dir)["log.jsonl"]; got != "{\"n\":1}\n{\"n\":2}\n{\"n\":3}\n{\"n\":4}\n" {
		t.Errorf("%q", got)
	}
}

func TestAppendFaults(t *testing.T) {
	for _, step := range []Step{StepCreate, StepWrite, StepSync} {
		dir := t.TempDir()
		must(t, os.WriteFile(filepath.Join(dir, "log"), []byte("1\n"), 0o600))
		asked := 0
		w := Writer{Fault: func(s Step, _ string) error {
			if s == step {
				asked++
				return errDisk
			}
			return nil
		}}
		if err := w.Append(openRoot(t, dir), "log", []byte("2"), Options{Perm: 0o600}); !errors.Is(err, errDisk) || asked != 1 {
			t.Errorf("%s: %v after %d tries", step, err, asked)
		}
		got := content(t, dir)["log"]
		if !strings.HasPrefix(got, "1\n") {
			t.Errorf("%s: old lines are gone: %q", step, got)
		}
	}
}

// TestAppendAfterTear cuts a log at any place, as a crash would, and appends: complete lines remain, and the appended
// lines are complete.
func TestAppendAfterTear(t *testing.T) {
	dir := t.TempDir()
	root := openRoot(t, dir)
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOfN(rapid.StringMatching(`[a-z{}":]{1,12}`), 0, 6).Draw(t, "lines")
		whole := strings.Join(append(lines, ""), "\n")
		torn := whole[:rapid.IntRange(0, len(whole)).Draw(t, "cut")]
		if err := os.WriteFile(filepath.Join(dir, "log"), []byte(torn), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := AppendFile(root, "log", []byte("appended"), 0o600); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(filepath.Join(dir, "log"))
		if err != nil {
			t.Fatal(err)
		}
		got := strings.Split(string(data), "\n")
		if !strings.HasPrefix(string(data), torn) || got[len(got)-1] != "" || got[len(got)-2] != "appended" {
			t.Fatalf("cut at %q, got %q", torn, data)
		}
	})
}

func TestRemove(t *testing.T) {
	dir := t.TempDir()
	root := openRoot(t, dir)
	must(t, WriteFile(root, "a", []byte("1"), 0o600))
	must(t, Remove(root, "a"))
	must(t, Remove(root, "a"))
	if got := content(t, dir); len(got) != 0 {
		t.Errorf("%q", got)
	}
}
