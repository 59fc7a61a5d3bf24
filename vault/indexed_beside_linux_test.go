package vault

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"chatvault/vault/index"
	"chatvault/vault/search"
)

// concurrentWriter changes a vault as fast as possible in all the ways of editors and synchronizers, and reports the
// last note it has finished.
type concurrentWriter struct {
	dir      string
	finished atomic.Int64
}

// keepsLast is the number of its latest notes that it leaves unchanged.
const keepsLast = 40

func (w *concurrentWriter) note(n int64) string {
	switch n % 6 {
	case 3, 4:
		return fmt.Sprintf("tree %d/deep/in/note %d.md", n, n)
	case 5:
		return "busy/always.md"
	}
	return fmt.Sprintf("busy/note %d.md", n)
}

// write creates note n, which contains the word "needleN.".
func (w *concurrentWriter) write(n int64) error {
	name := filepath.Join(w.dir, w.note(n))
	text := fmt.Appendf(nil, "# Note\n\nhere is needle%d. for you\n", n)
	if err := os.MkdirAll(filepath.Dir(filepath.Join(w.dir, "busy/x")), 0o755); err != nil {
		return err
	}
	switch n % 6 {
	case 0: // in place
		return os.WriteFile(name, text, 0o644)
	case 1: // as editors save
		if err := os.WriteFile(name+"~", text, 0o644); err != nil {
			return err
		}
		return os.Rename(name+"~", name)
	case 2: // in two steps
		if err := os.WriteFile(name, nil, 0o644); err != nil {
			return err
		}
		f, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		if _, err := f.Write(text[:9]); err != nil {
			return err
		}
		if _, err := f.Write(text[9:]); err != nil {
			return err
		}
		return f.Close()
	case 3: // in new folders
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		return os.WriteFile(name, text, 0o644)
	case 4: // in a folder tree that is moved into the vault
		from := filepath.Join(w.dir, fmt.Sprintf("from %d", n))
		if err := os.MkdirAll(filepath.Join(from, "deep/in"), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(from, "deep/in", path.Base(w.note(n))), text, 0o644); err != nil {
			return err
		}
		return os.Rename(from, filepath.Join(w.dir, fmt.Sprintf("tree %d", n)))
	default: // at the end of a note that always exists
		f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		if err != nil {
			return err
		}
		if _, err := f.Write(text); err != nil {
			return err
		}
		return f.Close()
	}
}

// remove removes the result of write, except the note that always exists.
func (w *concurrentWriter) remove(n int64) {
	switch n % 6 {
	case 3, 4:
		_ = os.RemoveAll(filepath.Join(w.dir, fmt.Sprintf("tree %d", n)))
	case 5:
	default:
		_ = os.Remove(filepath.Join(w.dir, w.note(n)))
	}
}

func (w *concurrentWriter) run(ctx context.Context, t *testing.T) {
	for n := int64(1); ctx.Err() == nil; n++ {
		if err := w.write(n); err != nil {
			t.Error(err)
			return
		}
		w.finished.Store(n)
		if n > keepsLast {
			w.remove(n - keepsLast)
		}
		if n%8 == 0 {
			time.Sleep(time.Millisecond)
		}
	}
}

// TestSearchDuringWrites: a search finds every note that existed before it began and still exists, despite concurrent
// changes.
func TestSearchDuringWrites(t *testing.T) {
	if testing.Short() {
		t.Skip("slow; run by make test")
	}
	for kind, watch := range testWatchers {
		t.Run(kind, func(t *testing.T) {
			defer goleak.VerifyNone(t)
			v := openTest(t, t.TempDir())
			defer func() { _ = v.Close() }()
			for i := range 50 {
				writeTestFile(t, v.dir, fmt.Sprintf("still/%d/note.md", i), "nothing\n")
			}
			startTestIndex(t, v, watch, 1<<20)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			w := &concurrentWriter{dir: v.dir}
			done := make(chan struct{})
			go func() { defer close(done); w.run(ctx, t) }()
			warm, searches := 0, 0
			for begin := time.Now(); time.Since(begin) < time.Duration(rounds(400, 10_000))*time.Millisecond; searches++ {
				n := w.finished.Load()
				for ; n == 0; n = w.finished.Load() {
					time.Sleep(time.Millisecond)
				}
				tr, err := v.openTree(ctx)
				mustTest(t, err)
				if _, ok := tr.(*index.Tree); ok {
					warm++
				}
				mustTest(t, tr.Close())
				r := mustSearch(t, v, search.Query{Pattern: fmt.Sprintf(`needle%d\.`, n)})
				if r.FilesTotal != 1 && w.finished.Load() < n+keepsLast/2 {
					t.Fatalf("%q existed, but %d files were found", w.note(n), r.FilesTotal)
				}
				l, err := v.List(ctx, search.ListQuery{Folder: path.Dir(w.note(n)), Pattern: path.Base(w.note(n))})
				if (err != nil || l.Total != 1) && w.finished.Load() < n+keepsLast/2 {
					t.Fatalf("%q existed, but %d files were listed (%v)", w.note(n), l.Total, err)
				}
			}
			cancel()
			<-done
			t.Logf("%d searches, %d from memory, %d notes", searches, warm, w.finished.Load())
			if warm < searches/4 {
				t.Errorf("only %d of %d searches were made in memory", warm, searches)
			}
			cold := openTest(t, v.dir)
			if got, want := searchAndList(t, v), searchAndList(t, cold); got != want {
				t.Errorf("at the end\n%s", diffLines(got, want))
			}
		})
	}
}

// TestCanceledSearchDuringWrites: a canceled search leaves the index intact.
func TestCanceledSearchDuringWrites(t *testing.T) {
	v := openTest(t, t.TempDir())
	startTestIndex(t, v, index.Platform, 1<<20)
	for i := range 40 {
		writeTree(filepath.Join(v.dir, fmt.Sprint(i)), "needle\n")
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i*20)*time.Microsecond)
		_, _ = v.Search(ctx, search.Query{Pattern: "needle"})
		cancel()
		if n := mustSearch(t, v, search.Query{Pattern: "needle"}).FilesTotal; n != 3*(i+1) {
			t.Fatalf("after %d trees %d notes were found", i+1, n)
		}
	}
}
