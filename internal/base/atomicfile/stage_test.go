package atomicfile

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// staged stages a file's new content.
func staged(t *testing.T, root *os.Root, name string, data string) *Staged {
	t.Helper()
	s, err := Writer{}.Stage(root, name, []byte(data), Options{})
	must(t, err)
	return s
}

func TestStage(t *testing.T) {
	dir := t.TempDir()
	root := openRoot(t, dir)
	must(t, os.WriteFile(filepath.Join(dir, "a.md"), []byte("old"), 0o644))
	must(t, os.Chmod(filepath.Join(dir, "a.md"), 0o640))

	s := staged(t, root, "a.md", "new")
	if got := content(t, dir); got["a.md"] != "old" || len(got) != 2 || s.Placed() {
		t.Errorf("staged: %q", got)
	}
	must(t, s.Place(root))
	must(t, Writer{}.SyncDir(root, "."))
	if got := content(t, dir); got["a.md"] != "new" || !s.Placed() {
		t.Errorf("placed: %q", got)
	}
	if info, err := os.Stat(filepath.Join(dir, "a.md")); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("its mode is %v, %v", info.Mode(), err)
	}
	s.Close(root)
	if got := content(t, dir); len(got) != 1 || got["a.md"] != "new" {
		t.Errorf("closed: %q", got)
	}
	s = staged(t, root, "a.md", "never")
	s.Close(root)
	if got := content(t, dir); len(got) != 1 || got["a.md"] != "new" {
		t.Errorf("given up: %q", got)
	}
}

func TestStageNeedsAFile(t *testing.T) {
	dir := t.TempDir()
	root := openRoot(t, dir)
	must(t, os.Symlink("elsewhere", filepath.Join(dir, "link")))
	for _, name := range []string{"none.md", "link", "."} {
		if s, err := (Writer{}).Stage(root, name, nil, Options{}); err == nil || s != nil {
			t.Errorf("%s: %v, %v", name, s, err)
		}
	}
	must(t, os.WriteFile(filepath.Join(dir, "a.md"), []byte("old"), 0o644))
	for _, step := range []Step{StepCreate, StepWrite, StepSync, StepRename} {
		w := Writer{Fault: func(s Step, _ string) error {
			if s == step {
				return errDisk
			}
			return nil
		}}
		s, err := w.Stage(root, "a.md", []byte("new"), Options{})
		if err == nil {
			err = s.Place(root)
		}
		if !errors.Is(err, errDisk) {
			t.Errorf("%s: %v", step, err)
		}
		if s != nil {
			s.Close(root)
		}
		if got := content(t, dir); len(got) != 1 || got["a.md"] != "old" {
			t.Errorf("%s: %q", step, got)
		}
	}
}
