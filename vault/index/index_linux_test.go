package index

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"chatvault/vault/fsys"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func (x *indexed) mustView(want map[string]string) {
	x.t.Helper()
	if got := x.view(); !maps.Equal(got, want) {
		x.t.Errorf("the index has %q, want %q", got, want)
	}
}

func TestViewMatchesDisk(t *testing.T) {
	x := startTest(t, map[string]string{"a.md": "alpha", "F/b.md": "beta", "F/c.txt": "gamma", ".h/d.md": "hidden"}, nil)
	x.mustView(map[string]string{"a.md": "alpha", "F/b.md": "beta", "F/c.txt": "?"})
	x.write("a.md", "ALPHA")
	x.write("F/G/n.md", "new")
	// A change is visible at once; its text follows when it has been read.
	seen := x.view()
	if len(seen) != 4 {
		t.Errorf("the index has %q", seen)
	}
	for path, text := range seen {
		want := map[string]string{"a.md": "ALPHA", "F/b.md": "beta", "F/G/n.md": "new"}[path]
		if text != "?" && text != want {
			t.Errorf("%s has the text %q", path, text)
		}
	}
	x.settle()
	x.mustView(map[string]string{"a.md": "ALPHA", "F/b.md": "beta", "F/c.txt": "?", "F/G/n.md": "new"})
	if s := x.State(); !s.Ready || !s.Watched || s.Texts != 3 || s.TextBytes != 12 {
		t.Errorf("state %+v", s)
	}
}

// TestViewIsSnapshot: later changes do not affect a View.
func TestViewIsSnapshot(t *testing.T) {
	x := startTest(t, map[string]string{"a.md": "alpha", "F/b.md": "beta"}, nil)
	old := x.View(context.Background())
	x.write("F/b.md", "changed")
	x.write("F/n.md", "new")
	if err := os.Remove(filepath.Join(x.dir, "a.md")); err != nil {
		t.Fatal(err)
	}
	x.settle()
	x.mustView(map[string]string{"F/b.md": "changed", "F/n.md": "new"})
	if old.File("a.md") == nil || len(old.Folder("F").Files) != 1 || string(old.Folder("F").File("b.md").Text().Data) != "beta" {
		t.Error("an old view changed")
	}
}

// TestHiddenFoldersAreIgnored: hidden files are neither read nor watched, and their changes cause no work.
func TestHiddenFoldersAreIgnored(t *testing.T) {
	x := startTest(t, map[string]string{"a.md": "alpha", ".state/x": "1", "F/.git/y": "1"}, nil)
	for path := range x.disk.opened {
		if strings.Contains(path, ".") {
			t.Errorf("%q was read", path)
		}
	}
	x.disk.counts()
	for i := range 100 {
		x.write(".state/x", fmt.Sprint(i))
		x.write(".state/deep/"+fmt.Sprint(i), "")
		x.write("F/.git/y", fmt.Sprint(i))
	}
	looks := x.fullReads.Load()
	x.Index.mu.Lock()
	if x.collect() {
		t.Error("the watcher notified of something hidden")
	}
	x.Index.mu.Unlock()
	x.settle()
	x.mustView(map[string]string{"a.md": "alpha"})
	if opened, reads := x.disk.counts(); opened+reads > 0 || looks != x.fullReads.Load() {
		t.Errorf("%d folders were opened and %d files read", opened, reads)
	}
	x.write(".new", "") // changes the modification time of the folder
	x.settle()
	if opened, _ := x.disk.counts(); opened > 1 {
		t.Errorf("%d folders were opened", opened)
	}
}

// TestIdleIndexReadsNothing: without changes a View reads nothing.
func TestIdleIndexReadsNothing(t *testing.T) {
	x := startTest(t, map[string]string{"a.md": "alpha", "F/b.md": "beta"}, nil)
	x.disk.counts()
	for range 100 {
		if x.View(t.Context()) == nil {
			t.Fatal("no view")
		}
	}
	if opened, reads := x.disk.counts(); opened+reads > 0 {
		t.Errorf("%d folders were opened and %d files read", opened, reads)
	}
}

func TestTextLimit(t *testing.T) {
	files := map[string]string{"long.md": strings.Repeat("x", 600)}
	for i := range 20 {
		files[fmt.Sprintf("F/%02d.md", i)] = strings.Repeat("y", 10+i)
	}
	x := startTest(t, files, func(o *Options) { o.TextBytes = 300 })
	s := x.State()
	if s.TextBytes > 300 || s.TextBytes < 250 || s.Filters != 4*40+160 {
		t.Errorf("state %+v", s)
	}
	view := x.view()
	if view["long.md"] != "?" || view["F/00.md"] == "?" || view["F/19.md"] != "?" {
		t.Errorf("stored are not the shortest: %q", view)
	}
	for i := range 20 { // longer texts may no longer fit
		x.write(fmt.Sprintf("F/%02d.md", i), strings.Repeat("z", 100+i))
	}
	x.settle()
	if s := x.State(); s.TextBytes > 300 || s.Texts != 2 || s.Filters < 300 || s.Filters > 360 {
		t.Errorf("then state %+v", s)
	}
	total := int64(0)
	for _, text := range x.view() {
		if text != "?" {
			total += int64(len(text))
		}
	}
	if s := x.State(); total != s.TextBytes {
		t.Errorf("%d bytes are stored, but the state has %d", total, s.TextBytes)
	}
	for name := range files { // shorter texts fit again
		x.write(name, "z")
	}
	x.settle()
	if s := x.State(); s.Texts != 21 || s.Filters != 0 {
		t.Errorf("at last state %+v", s)
	}
}

// fakeWatcher is a watcher of the platform with injected faults.
type fakeWatcher struct {
	Watcher
	mu    sync.Mutex
	lose  bool // report lost events
	limit int  // number of folders; 0 means no limit
	added int
	from  map[string]string // results of Add by path
}

func (w *fakeWatcher) Add(path string, dir fsys.Folder) (int, string, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.added++; w.limit > 0 && w.added > w.limit {
		return 0, "", ErrLimit
	}
	id, from, err := w.Watcher.Add(path, dir)
	if other, ok := w.from[path]; ok {
		from = other
	}
	return id, from, err
}

func (w *fakeWatcher) Drain(each func(Event)) error {
	w.mu.Lock()
	lose := w.lose
	w.lose = false
	w.mu.Unlock()
	if lose {
		_ = w.Watcher.Drain(func(Event) {})
		each(Event{Op: Lost})
		return nil
	}
	return w.Watcher.Drain(each)
}

// withFaults sets an option that creates fakeWatchers, changes them with inject and stores the last one.
func withFaults(last **fakeWatcher, inject func(*fakeWatcher)) func(*Options) {
	return func(o *Options) {
		o.Watch = func(dir string) (Watcher, error) {
			w, err := Platform(dir)
			if err != nil {
				return nil, err
			}
			f := &fakeWatcher{Watcher: w}
			if inject != nil {
				inject(f)
			}
			*last = f
			return f, nil
		}
	}
}

// TestLostEvents: after lost events there is no View until everything has been read.
func TestLostEvents(t *testing.T) {
	var w *fakeWatcher
	x := startTest(t, map[string]string{"a.md": "alpha", "F/b.md": "beta", "G/c.md": "gamma"}, withFaults(&w, nil))
	x.write("a.md", "changed")
	x.write("N/n.md", "new")
	if err := os.RemoveAll(filepath.Join(x.dir, "G")); err != nil {
		t.Fatal(err)
	}
	w.mu.Lock()
	w.lose = true
	w.mu.Unlock()
	if view := x.view(); view != nil {
		t.Errorf("a view is available: %q", view)
	}
	x.settle()
	x.mustView(map[string]string{"a.md": "changed", "F/b.md": "beta", "N/n.md": "new"})
	if looks := x.fullReads.Load(); looks != 2 {
		t.Errorf("everything was read %d times", looks)
	}
	// A file written just before it was read may have changed since with the same times, so it is reported too.
	if notified := strings.ReplaceAll(x.takeNotified(), "F/b.md ", ""); notified != "G/c.md N/n.md a.md" {
		t.Errorf("notified of %q", notified)
	}
	x.write("N/n.md", "newer")
	x.settle()
	x.mustView(map[string]string{"a.md": "changed", "F/b.md": "beta", "N/n.md": "newer"})
}

// TestTooFewWatches: if the system allows no more watches, each View compares everything.
func TestTooFewWatches(t *testing.T) {
	var w *fakeWatcher
	x := startTest(t, map[string]string{"a.md": "alpha", "F/b.md": "beta", "G/c.md": "gamma"},
		withFaults(&w, func(w *fakeWatcher) { w.limit = 2 }))
	if s := x.State(); !s.Ready || s.Watched || !strings.Contains(s.Why, "limit") {
		t.Errorf("state %+v", s)
	}
	x.write("F/b.md", "BETA")
	x.write("G/n.md", "new")
	x.mustView(map[string]string{"a.md": "?", "F/b.md": "?", "G/c.md": "?", "G/n.md": "?"})
}

// TestRecentTextsWithoutWatching: without watching, a text is not stored while a further change might leave the
// file's times unchanged.
func TestRecentTextsWithoutWatching(t *testing.T) {
	x := startTest(t, map[string]string{"new.md": "new"}, func(o *Options) {
		o.Watch = func(string) (Watcher, error) { return nil, errors.New("none") }
	})
	x.mustView(map[string]string{"new.md": "?"})
	if len(x.want) != 1 {
		t.Errorf("%d texts are pending", len(x.want))
	}
	st := fsys.Stat{Modified: 5e9, Changed: 6e9}
	if settled(st, 8e9) || !settled(st, 10e9) {
		t.Error("settled is wrong about 2 s, or about 4 s")
	}
}

// TestFolderWithTwoPaths: a folder with two paths is not watched, so each View compares everything.
func TestFolderWithTwoPaths(t *testing.T) {
	var w *fakeWatcher
	x := startTest(t, map[string]string{"F/b.md": "beta", "G/b.md": "beta"}, withFaults(&w, func(w *fakeWatcher) {
		w.from = map[string]string{"F": "G", "G": "F"}
	}))
	x.write("F/b.md", "changed")
	if x.View(t.Context()) == nil {
		t.Error("no view")
	}
	if s := x.State(); s.Watched || !strings.Contains(s.Why, "two places") {
		t.Errorf("state %+v", s)
	}
}

// TestCanceledView: a View whose context ends loses no changes.
func TestCanceledView(t *testing.T) {
	x := startTest(t, map[string]string{"a.md": "alpha"}, nil)
	x.write("F/b.md", "beta")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if x.View(ctx) != nil {
		t.Error("a view after the context ended")
	}
	x.Index.mu.Lock()
	if _, err := x.refresh(ctx); err == nil || !x.dirty.all {
		t.Errorf("cut in the middle: %v", err)
	}
	x.Index.mu.Unlock()
	x.wakeRun()
	x.settle()
	x.mustView(map[string]string{"a.md": "alpha", "F/b.md": "beta"})
}

// TestFaultStopsIndex: a fault stops the index and nothing else.
func TestFaultStopsIndex(t *testing.T) {
	var broken atomic.Bool
	x := startTest(t, map[string]string{"a.md": "alpha"}, func(o *Options) {
		visible := o.Visible
		o.Visible = func(folder, name string) bool {
			if broken.Load() {
				panic("broken")
			}
			return visible(folder, name)
		}
	})
	broken.Store(true)
	x.write("b.md", "beta")
	failed := func() bool {
		x.mu.Lock()
		defer x.mu.Unlock()
		return len(x.errs) > 0
	}
	for begin := time.Now(); !failed() && time.Since(begin) < 5*time.Second; {
		time.Sleep(time.Millisecond)
	}
	if s := x.State(); s.Ready || !strings.Contains(s.Why, "broken") {
		t.Errorf("state %+v", s)
	}
	if x.View(t.Context()) != nil {
		t.Error("a view is available")
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if len(x.errs) != 1 || !strings.Contains(x.errs[0].Error(), "broken") {
		t.Errorf("notified %v", x.errs)
	}
}

func TestCloseDuringBuild(t *testing.T) {
	files := map[string]string{}
	for i := range 300 {
		files[fmt.Sprintf("%d/%d.md", i, i)] = "text"
	}
	x := startTest(t, files, nil)
	for i := range 20 {
		y := Start(x.o)
		time.Sleep(time.Duration(i) * 100 * time.Microsecond)
		y.Close()
		y.Close()
		if y.View(t.Context()) != nil {
			t.Fatal("a view after Close")
		}
		if err := y.Settle(t.Context()); err == nil {
			t.Fatal("settled after Close")
		}
	}
}

// TestBurst: if a synchronizer writes a thousand notes, each is read about once.
func TestBurst(t *testing.T) {
	x := startTest(t, map[string]string{"F/a.md": "alpha"}, func(o *Options) { o.Quiet = 50 * time.Millisecond })
	x.disk.counts()
	for i := range 1000 {
		x.write("F/a.md", fmt.Sprint(i))
		x.write(fmt.Sprintf("F/%d.md", i), "one")
	}
	x.settle()
	opened, reads := x.disk.counts()
	if reads < 1001 || reads > 1600 || opened > 200 { // 1001 and 2 on an idle machine
		t.Errorf("%d files were read, and folders opened %d times", reads, opened)
	}
}

// TestFileWithTwoNames: changes of a file through another name may not be reported, so its Stat is not cached.
func TestFileWithTwoNames(t *testing.T) {
	x := startTest(t, map[string]string{"a.md": "alpha", "F/b.md": "beta"}, nil)
	if err := os.Link(filepath.Join(x.dir, "a.md"), filepath.Join(x.dir, "F/a.md")); err != nil {
		t.Fatal(err)
	}
	if root := x.View(t.Context()); root != nil && root.File("a.md").Known() {
		t.Error("the change is not seen at once")
	}
	x.settle()
	x.mustView(map[string]string{"a.md": "?", "F/a.md": "?", "F/b.md": "beta"})
	root := x.View(t.Context())
	if root.File("a.md").Known() || root.Folder("F").File("a.md").Known() || !root.Folder("F").File("b.md").Known() {
		t.Error("the cached Stat is wrong")
	}
}
