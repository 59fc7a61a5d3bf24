package fsys

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"pgregory.net/rapid"
)

// TestFolders: in any order of use, the folder of the given name is opened, at most the allowed number stay open, and
// none after Close.
func TestFolders(t *testing.T) {
	dir := t.TempDir()
	deep := strings.TrimSuffix(strings.Repeat("d/", 200), "/")
	paths := []string{".", "F", "F/sub"}
	for at := deep; at != "."; at = path.Dir(at) {
		paths = append(paths, at)
	}
	mustTest(t, errors.Join(os.MkdirAll(filepath.Join(dir, deep), 0o755), os.MkdirAll(filepath.Join(dir, "F/sub"), 0o755)))
	mustTest(t, errors.Join(os.WriteFile(filepath.Join(dir, "F/file"), nil, 0o644), os.Symlink("sub", filepath.Join(dir, "F/link"))))
	root, err := os.OpenRoot(dir)
	mustTest(t, err)
	defer func() { _ = root.Close() }()
	rapid.Check(t, func(rt *rapid.T) {
		f := NewFolders(root)
		f.Enter = func(_, name string, _ *os.Root) error {
			if name == "sub" {
				return fs.ErrPermission
			}
			return nil
		}
		for range rapid.IntRange(1, 30).Draw(rt, "gets") {
			at := rapid.SampledFrom(paths).Draw(rt, "folder")
			err := f.With(at, func(got *os.Root) error {
				now, err := got.Stat(".")
				must(err)
				want, err := os.Stat(filepath.Join(dir, at))
				must(err)
				if !os.SameFile(now, want) {
					rt.Fatalf("%s is a different folder", at)
				}
				return nil
			})
			if at == "F/sub" {
				if !errors.Is(err, fs.ErrPermission) {
					rt.Fatal(err)
				}
				continue
			}
			must(err)
			if rapid.IntRange(0, 9).Draw(rt, "forget") == 9 {
				f.Forget(rapid.SampledFrom(paths[1:]).Draw(rt, "forgotten"))
			}
		}
		if len(f.open) > maxFolders {
			rt.Fatalf("%d are open", len(f.open))
		}
		f.Close()
		if len(f.open) > 0 {
			rt.Fatal("folders are still open")
		}
	})
	f := NewFolders(root)
	defer f.Close()
	for at, want := range map[string]error{"F/file/x": syscall.ENOTDIR, "F/link/x": syscall.ELOOP, "F/none": fs.ErrNotExist} {
		if err := f.With(at, func(*os.Root) error { return nil }); !errors.Is(err, want) {
			t.Errorf("%s: %v", at, err)
		}
	}
	var one *os.Root
	mustTest(t, f.With("F/sub", func(dir *os.Root) error {
		one = dir
		f.Forget("F")
		if _, err := one.Stat("."); err != nil {
			t.Errorf("a folder in use was closed: %v", err)
		}
		return nil
	}))
	if _, err := one.Stat("."); err == nil {
		t.Error("an unused folder stayed open")
	}
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for k := range 300 {
				if err := f.With(paths[(i*k)%len(paths)], func(*os.Root) error { return nil }); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
}

// TestWalkFolder: Walk visits the same entries as fs.WalkDir, in the same order.
func TestWalkFolder(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.md", "a/b/c.md", "a/b.md", "a-b/x", ".h/y", "z", "a/empty/"} {
		mustTest(t, os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755))
		if strings.HasSuffix(name, "/") {
			mustTest(t, os.MkdirAll(filepath.Join(dir, name), 0o755))
			continue
		}
		mustTest(t, os.WriteFile(filepath.Join(dir, name), nil, 0o644))
	}
	mustTest(t, os.Symlink("a", filepath.Join(dir, "link")))
	root, err := os.OpenRoot(dir)
	mustTest(t, err)
	defer func() { _ = root.Close() }()
	var want, got []string
	mustTest(t, fs.WalkDir(root.FS(), ".", func(name string, _ fs.DirEntry, err error) error {
		want = append(want, name)
		return err
	}))
	mustTest(t, Walk(t.Context(), root, func(_ *os.Root, name string, _ fs.FileInfo) error {
		got = append(got, name)
		return nil
	}))
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Walk(ctx, root, func(*os.Root, string, fs.FileInfo) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func mustTest(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
