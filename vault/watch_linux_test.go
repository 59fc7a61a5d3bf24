package vault

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"chatvault/vault/index"
)

// notifications collects the calls of Watch.
type notifications struct {
	mu    sync.Mutex
	paths []string
	calls int
}

func (l *notifications) add(paths []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.paths = append(l.paths, paths...)
	l.calls++
}

// take returns the notes reported so far, without duplicates.
func (l *notifications) take() (paths []string, calls int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	paths, calls = l.paths, l.calls
	l.paths, l.calls = nil, 0
	slices.Sort(paths)
	return slices.Compact(paths), calls
}

// watchTest opens a vault with an index and three notes, and watches it.
func watchTest(t *testing.T, watch func(string) (index.Watcher, error)) (*Vault, *notifications) {
	t.Cleanup(func() { goleak.VerifyNone(t) })
	v := openTest(t, t.TempDir())
	writeTestFile(t, v.dir, "a.md", "alpha\n")
	writeTestFile(t, v.dir, "F/b.md", "beta\n")
	writeTestFile(t, v.dir, "F/G/c.md", "gamma\n")
	writeTestFile(t, v.dir, "F/d.txt", "delta\n")
	var l notifications
	v.Index.Watch(l.add)
	startTestIndex(t, v, watch, 1<<20)
	return v, &l
}

func TestWatchReportsChanges(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(dir string) error
		want string
	}{
		{"nothing", func(string) error { return nil }, ""},
		{"a note is written", func(dir string) error { return os.WriteFile(dir+"/a.md", []byte("more\n"), 0o644) }, "a.md"},
		{"a note of the same length", func(dir string) error { return os.WriteFile(dir+"/a.md", []byte("ALPHA\n"), 0o644) }, "a.md"},
		{"a note is saved unchanged", func(dir string) error { return os.WriteFile(dir+"/a.md", []byte("alpha\n"), 0o644) }, "a.md"},
		{"a note is touched", func(dir string) error { return os.Chtimes(dir+"/a.md", time.Now(), time.Now()) }, "a.md"},
		{"a note is added", func(dir string) error { return os.WriteFile(dir+"/F/n.md", nil, 0o644) }, "F/n.md"},
		{"a note is removed", func(dir string) error { return os.Remove(dir + "/F/b.md") }, "F/b.md"},
		{"a note is moved", func(dir string) error { return os.Rename(dir+"/F/b.md", dir+"/b.md") }, "F/b.md b.md"},
		{"a note is respelled", func(dir string) error { return os.Rename(dir+"/a.md", dir+"/A.md") }, "A.md a.md"},
		{"a folder is moved", func(dir string) error { return os.Rename(dir+"/F", dir+"/H") }, "F/G/c.md F/b.md H/G/c.md H/b.md"},
		{"a folder is removed", func(dir string) error { return os.RemoveAll(dir + "/F") }, "F/G/c.md F/b.md"},
		{"a folder is added", func(dir string) error {
			writeTree(dir+"/T", "text")
			return nil
		}, "T/p/q/r.md T/p/q/t/u.md T/p/s.md"},
		{"no note", func(dir string) error { return os.WriteFile(dir+"/F/d.txt", []byte("other"), 0o644) }, ""},
		{"hidden", func(dir string) error {
			return os.WriteFile(dir+"/.hidden.md", []byte("other"), 0o644)
		}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			v, l := watchTest(t, index.Platform)
			mustTest(t, c.do(v.dir))
			settleIndex(t, v)
			paths, calls := l.take()
			// A change of several system calls may cause several calls.
			if got := strings.Join(paths, " "); got != c.want || calls > 2+2*len(paths) {
				t.Errorf("%d calls reported %q, want %q", calls, got, c.want)
			}
		})
	}
}

// TestWatchIsPrompt: changes are reported soon without a request, and those of a burst together.
func TestWatchIsPrompt(t *testing.T) {
	defer goleak.VerifyNone(t)
	v := openTest(t, t.TempDir())
	defer func() { _ = v.Close() }()
	notified := make(chan []string, 10)
	v.Index.Watch(func(paths []string) { notified <- paths })
	mustTest(t, v.Index.Start(IndexOptions{TextBytes: 1 << 20}))
	settleIndex(t, v)
	var want []string
	began := time.Now()
	for i := range 20 {
		name := fmt.Sprintf("n%02d.md", i)
		want = append(want, name)
		writeTestFile(t, v.dir, name, "x")
		time.Sleep(time.Millisecond)
	}
	burst := time.Since(began)
	var got []string
	calls := 0
	for late := time.After(30 * time.Second); len(got) < len(want); calls++ {
		select {
		case paths := <-notified:
			got = append(got, paths...)
			slices.Sort(got)
			got = slices.Compact(got)
		case <-late:
			t.Fatalf("only %q was reported", got)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("reported %q", got)
	}
	if calls > 5 && burst < 100*time.Millisecond { // a busy machine prolongs the burst
		t.Errorf("reported in %d calls", calls)
	}
}
