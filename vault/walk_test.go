package vault

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"chatvault/vault/fsys"
	"chatvault/vault/glob"
	"chatvault/vault/walk"
)

// walkVault creates a vault of the named files, each containing its own name.
func walkVault(t testing.TB, files ...string) *Vault {
	t.Helper()
	dir := t.TempDir()
	for _, name := range files {
		writeTestFile(t, dir, name, name+"\n")
	}
	v, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = v.Close() })
	return v
}

func writeTestFile(t testing.TB, dir, name, text string) {
	t.Helper()
	full := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// trees are the implementations of fsys.Tree on this platform.
func trees(t testing.TB, v *Vault) map[string]fsys.Tree {
	t.Helper()
	native, err := fsys.Open(v.finder.Root)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = native.Close() })
	return map[string]fsys.Tree{"native": native, "os.Root": fsys.RootTree{Root: v.finder.Root}}
}

// sourceOf returns the source of walks of a vault in an open tree.
func sourceOf(v *Vault, tr fsys.Tree) walk.Source {
	s := v.Source()
	s.Open = func(context.Context) (fsys.Tree, error) { return openedTree{tr}, nil }
	return s
}

// openedTree is a tree that walks do not close.
type openedTree struct{ fsys.Tree }

func (openedTree) Close() error { return nil }

// walkPaths returns the sorted entries that a walk visits; folders end in "/".
func walkPaths(t testing.TB, w *walk.Walk) []string {
	t.Helper()
	var mu sync.Mutex
	var seen []string
	w.Visit = func(_ int, in fsys.Folder, e walk.Found) {
		if !e.Folder {
			f, err := in.OpenFile(e.Name)
			if err != nil {
				t.Errorf("%s: %v", e.Path(), err)
				return
			}
			defer f.Close()
			buf := make([]byte, 8192)
			if n, err := f.Read(buf); err != nil && !errors.Is(err, io.EOF) || string(buf[:n]) != e.Path()+"\n" && n > 0 {
				t.Errorf("%s: read %.40q, %v", e.Path(), buf[:n], err)
			}
		}
		mu.Lock()
		defer mu.Unlock()
		name := e.Path()
		if e.Folder {
			name += "/"
		}
		seen = append(seen, name)
	}
	if err := w.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	slices.Sort(seen)
	return seen
}

func TestWalkFilters(t *testing.T) {
	defer goleak.VerifyNone(t)
	v := walkVault(t, "a.md", "b.MD", "c.txt", "Sub/d.md", "Sub/Deep/e.markdown", "Sub/[odd]/f.md",
		".hidden.md", ".obsidian/x.md", "Sub/.git/y.md", "\uff0efull.md", "secret/z.md", "ünïcode/名.md")
	mustTest(t, v.SetPrivate([]string{"/secret", "*Deep"}))
	outside := t.TempDir()
	writeTestFile(t, outside, "out.md", "out\n")
	for _, link := range [][2]string{
		{outside, "link"}, {filepath.Join(outside, "out.md"), "link.md"}, {".", "Sub/loop"}, {"a.md", "inner.md"}, {"Sub", "alias"},
	} {
		if err := os.Symlink(link[0], filepath.Join(v.dir, link[1])); err != nil {
			t.Fatal(err)
		}
	}
	mustTest(t, makePipe(filepath.Join(v.dir, "pipe.md")))
	if err := os.WriteFile(filepath.Join(v.dir, "bad\xff.md"), nil, 0o600); err != nil {
		t.Logf("the file system rejects names that are not UTF-8: %v", err)
	}
	g, err := glob.Compile("**", glob.InFolder)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"Sub/", "Sub/[odd]/", "Sub/[odd]/f.md", "Sub/d.md", "a.md", "b.MD", "c.txt", "ünïcode/", "ünïcode/名.md"}
	for name, tr := range trees(t, v) {
		if got := walkPaths(t, &walk.Walk{From: sourceOf(v, tr), Base: ".", Glob: g, Folders: true}); !slices.Equal(got, want) {
			t.Errorf("%s saw %q, want %q", name, got, want)
		}
		want := []string{"Sub/[odd]/f.md", "Sub/d.md"}
		if got := walkPaths(t, &walk.Walk{From: sourceOf(v, tr), Base: "Sub", Glob: glob.Notes}); !slices.Equal(got, want) {
			t.Errorf("%s saw %q under Sub, want %q", name, got, want)
		}
		for _, base := range []string{"link", "alias", "Sub/loop", "nowhere", "a.md"} {
			w := &walk.Walk{From: sourceOf(v, tr), Base: base, Glob: g, Visit: func(int, fsys.Folder, walk.Found) {}}
			if err := w.Run(context.Background()); err == nil {
				t.Errorf("%s walked %s", name, base)
			}
		}
		if _, err := openedFile(tr, "link.md"); err == nil {
			t.Errorf("%s opened a link", name)
		}
		if n, err := openedFile(tr, "pipe.md"); n != 0 {
			t.Errorf("%s read %d bytes from a pipe, %v", name, n, err)
		}
	}
}

// openedFile opens a file of the root and reads from it, as if it had been a regular file when its folder was read.
func openedFile(tr fsys.Tree, name string) (int, error) {
	in, err := tr.Open("")
	if err != nil {
		return 0, err
	}
	defer in.Close()
	f, err := in.OpenFile(name)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, 10))
	return len(data), err
}

func TestWalkStaysWithinGlob(t *testing.T) {
	v := walkVault(t, "a.md", "Projects/b.md", "Projects/x/c.md", "Other/d.md")
	for pattern, want := range map[string][]string{
		"*.md":           {"a.md"},
		"projects/*.md":  {"Projects/b.md"},
		"Projects/**":    {"Projects/b.md", "Projects/x/", "Projects/x/c.md"},
		"*/x/*":          {"Projects/x/c.md"},
		"*":              {"Other/", "Projects/", "a.md"},
		"*/":             {"Other/", "Projects/"},
		"{a,Other/d}.md": {"Other/d.md", "a.md"},
	} {
		g, err := glob.Compile(pattern, glob.InFolder)
		if err != nil {
			t.Fatal(err)
		}
		if got := walkPaths(t, &walk.Walk{From: v.Source(), Base: ".", Glob: g, Folders: true}); !slices.Equal(got, want) {
			t.Errorf("%q: saw %q, want %q", pattern, got, want)
		}
	}
}

func descriptors(t testing.TB) int {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip("no /proc/self/fd")
	}
	return len(list)
}

// TestWalkDeepWithFewDescriptors: a thousand nested folders, with a path too long for one system call.
func TestWalkDeepWithFewDescriptors(t *testing.T) {
	if testing.Short() {
		t.Skip("slow; run by make test")
	}
	v := walkVault(t)
	const depth = 1000
	at, err := os.OpenRoot(v.dir)
	if err != nil {
		t.Fatal(err)
	}
	for i := range depth {
		name := fmt.Sprintf("folder-%d", i)
		if err := at.Mkdir(name, 0o755); err != nil {
			t.Fatal(err)
		}
		next, err := at.OpenRoot(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := at.Close(); err != nil {
			t.Fatal(err)
		}
		if at = next; i%100 == 99 {
			if err := at.WriteFile("n.md", nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := at.Close(); err != nil {
		t.Fatal(err)
	}
	var most, notes atomic.Int64
	before := descriptors(t)
	w := &walk.Walk{From: v.Source(), Base: ".", Glob: glob.Notes, Workers: 4}
	w.Skipped = func(path string, err error) { t.Errorf("%.30s…: %v", path, err) }
	w.Visit = func(_ int, in fsys.Folder, e walk.Found) {
		f, err := in.OpenFile(e.Name)
		if err != nil {
			t.Error(err)
			return
		}
		defer f.Close()
		notes.Add(1)
		most.Store(max(most.Load(), int64(descriptors(t))))
	}
	if err := w.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	if notes.Load() != depth/100 {
		t.Errorf("saw %d notes, want %d", notes.Load(), depth/100)
	}
	if most.Load() > int64(before+4*4+4) {
		t.Errorf("up to %d descriptors, %d before", most.Load(), before)
	}
	if after := descriptors(t); after > before {
		t.Errorf("%d descriptors after, %d before", after, before)
	}
}

// TestWalkSharesLargeFolder: workers share a folder of very many files and visit each once.
func TestWalkSharesLargeFolder(t *testing.T) {
	v := walkVault(t)
	const files = 5*walk.ShareSize + 7
	for i := range files {
		if err := os.WriteFile(filepath.Join(v.dir, fmt.Sprintf("note %d.md", i)), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, tr := range trees(t, v) {
		seen := walkPaths(t, &walk.Walk{From: sourceOf(v, tr), Base: ".", Glob: glob.Notes, Workers: 4})
		if n := len(slices.Compact(seen)); n != files || len(seen) != files {
			t.Errorf("%s visited %d, %d of them different, want %d", name, len(seen), n, files)
		}
	}
}

func TestWalkEndsWithContext(t *testing.T) {
	defer goleak.VerifyNone(t)
	var files []string
	for i := range 300 {
		files = append(files, fmt.Sprintf("f%d/a.md", i))
	}
	v := walkVault(t, files...)
	ctx, cancel := context.WithCancel(context.Background())
	var visits atomic.Int64
	w := &walk.Walk{From: v.Source(), Base: ".", Glob: glob.Notes, Workers: 3}
	w.Visit = func(int, fsys.Folder, walk.Found) {
		switch n := visits.Add(1); {
		case n == 5:
			cancel()
		case n > 5: // slow enough to observe the end of the context on a busy machine
			time.Sleep(5 * time.Millisecond)
		}
	}
	if err := w.Run(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("run = %v, want context.Canceled", err)
	}
	if n := visits.Load(); n > 100 {
		t.Errorf("%d visits, though stopped at the 5th", n)
	}
	if err := (&walk.Walk{From: v.Source(), Base: ".", Glob: glob.Notes}).Run(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("run = %v with a context that had ended", err)
	}
	for _, err := range v.Source().Notes(ctx) {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("Notes yielded %v with a context that had ended", err)
		}
	}
}

func TestWalkPanicReachesCaller(t *testing.T) {
	defer goleak.VerifyNone(t)
	v := walkVault(t, "a.md", "x/b.md", "y/c.md")
	defer func() {
		if fault := fmt.Sprint(recover()); !strings.Contains(fault, "on purpose") {
			t.Errorf("recovered %.80s", fault)
		}
	}()
	w := &walk.Walk{From: v.Source(), Base: ".", Glob: glob.Notes}
	w.Visit = func(int, fsys.Folder, walk.Found) { panic("on purpose") }
	_ = w.Run(context.Background())
	t.Error("no panic")
}

// TestWalkDuringSymlinkSwap: while folders are renamed and replaced by symbolic links, a walk visits nothing outside.
func TestWalkDuringSymlinkSwap(t *testing.T) {
	v := walkVault(t, "keep/a.md", "swap/b.md", "swap/deep/c.md")
	outside := t.TempDir()
	for _, name := range []string{"b.md", "deep/c.md", "deep/outside.md"} {
		writeTestFile(t, outside, name, "outside\n")
	}
	swap := filepath.Join(v.dir, "swap")
	done := make(chan struct{})
	var swapper sync.WaitGroup
	swapper.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
			}
			_ = os.Rename(swap, swap+"2")
			_ = os.Symlink(outside, swap)
			runtime.Gosched()
			_ = os.Remove(swap)
			_ = os.Rename(swap+"2", swap)
		}
	})
	for i := 0; i < 300 && !t.Failed(); i++ {
		w := &walk.Walk{From: v.Source(), Base: ".", Glob: glob.Notes}
		w.Visit = func(_ int, in fsys.Folder, e walk.Found) {
			f, err := in.OpenFile(e.Name)
			if err != nil {
				return
			}
			defer f.Close()
			buf := make([]byte, 100)
			if n, _ := f.Read(buf); strings.Contains(string(buf[:n]), "outside") {
				t.Errorf("%s was read from outside", e.Path())
			}
		}
		if err := w.Run(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	close(done)
	swapper.Wait()
}

func TestNotes(t *testing.T) {
	defer goleak.VerifyNone(t)
	v := walkVault(t, "a.md", "x/b.markdown", "c.txt", ".obsidian/d.md")
	when := time.Date(2024, 5, 6, 7, 8, 9, 0, time.UTC)
	if err := os.Chtimes(filepath.Join(v.dir, "a.md"), when, when); err != nil {
		t.Fatal(err)
	}
	var paths []string
	for e, err := range v.Source().Notes(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Size != int64(len(e.Path)+1) || e.Path == "a.md" && !e.Modified.Equal(when) {
			t.Errorf("%+v", e)
		}
		paths = append(paths, e.Path)
	}
	slices.Sort(paths)
	if want := []string{"a.md", "x/b.markdown"}; !slices.Equal(paths, want) {
		t.Errorf("Notes yields %q, want %q", paths, want)
	}
	for e, err := range v.Source().Notes(context.Background()) {
		if err != nil || e.Path != "" {
			break // leaves no goroutine, see goleak
		}
	}
}
