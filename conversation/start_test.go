package conversation

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"
)

// fastest returns the shortest duration of several runs, which excludes most of the machine's other load.
func fastest(runs int, do func()) time.Duration {
	best := time.Hour
	for range runs {
		began := time.Now()
		do()
		best = min(best, time.Since(began))
	}
	return best
}

// TestCosts limits the cost of 1,000 conversations of twenty messages: 20 ms to start, 50 ms to search, times ten for
// a busy machine, and memory for only the index and the active conversation. BenchmarkStart and BenchmarkSearch
// measure them. With the race detector it uses a fifth of the conversations and three times the limit.
func TestCosts(t *testing.T) {
	if testing.Short() {
		t.Skip("slow; run by make test")
	}
	dir := memory(t)
	n, runs, slack := 1000, 5, time.Duration(10)
	if raced {
		n, runs, slack = 200, 2, 30
	}
	writeConversations(t, dir, n)
	root := openRoot(t, dir)
	if _, err := NewManager(root, Options{}).List(); err != nil { // writes the index
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(dir, indexFile))
	if err != nil {
		t.Fatal(err)
	}
	heap := func() int64 {
		var s runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&s)
		return int64(s.HeapAlloc)
	}
	before := heap()
	m := NewManager(root, Options{})
	c, err := m.Active()
	if err != nil || len(c.Turns) != 10 {
		t.Fatal(c, err)
	}
	kept := heap() - before
	if kept > 4*info.Size() {
		t.Errorf("keeps %d KB; the index has %d KB", kept>>10, info.Size()>>10)
	}
	start := fastest(runs, func() { _, err = NewManager(root, Options{}).Active() })
	if err != nil || start > slack*20*time.Millisecond {
		t.Errorf("a start takes %v, %v", start, err)
	}
	t.Logf("start %v, %d KB kept, index %d KB", start, kept>>10, info.Size()>>10)
	for query, want := range map[string]int{"zebrafish": 1, "überraschung": 1, "the": 20, "tomato garden river": 20, "role": 0, "nothing-like-it": 0} {
		var hits []Hit
		search := func() { hits, err = m.Search(t.Context(), query, 20) }
		took := fastest(runs, search)
		for range 8 { // more attempts, since other tests may run
			if took > slack*50*time.Millisecond {
				took = min(took, fastest(runs, search))
			}
		}
		if err != nil || len(hits) != want || took > slack*50*time.Millisecond {
			t.Errorf("%q: %d found in %v, %v", query, len(hits), took, err)
		}
		t.Logf("%q: %v", query, took)
	}
	if now := heap() - before; now > kept+8<<20 {
		t.Errorf("a search keeps %d KB", (now-kept)>>10)
	}
	runtime.KeepAlive(m)
}
