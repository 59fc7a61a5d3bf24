package spend

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"chatvault/agent/event"
	"chatvault/agent/llm"
	"chatvault/agent/lock"
	"chatvault/internal/base/atomicfile"
	"chatvault/internal/base/statefile"
	"chatvault/internal/base/statefile/statetest"
)

func loadRecord(t *testing.T, root *os.Root) Record {
	t.Helper()
	u, err := Load(root)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// TestLedger: usage is in the totals and on disk at once, counted once, and summed over processes.
func TestLedger(t *testing.T) {
	root := statetest.Root(t)
	a, b := Open(root), Open(root)
	noon := time.Date(2026, 11, 21, 12, 0, 0, 0, time.Local)
	u := llm.Usage{PromptTokens: 100, CachedTokens: 40, CompletionTokens: 20, ReasoningTokens: 5, Cost: 0.01, HasCost: true}
	c, d := a.Count("one", u, noon)
	if want := (event.Totals{Calls: 1, Prompt: 100, Cached: 40, Completion: 20, Reasoning: 5, Cost: 0.01, Priced: true, Estimated: false}); c != want || d != want {
		t.Errorf("%+v, %+v", c, d)
	}
	b.Count("two", llm.Usage{PromptTokens: 1, Estimated: true}, noon)
	if c, d := b.Count("one", llm.Usage{}, noon); c.Prompt != 100 || c.Calls != 2 || c.Estimated || d.Prompt != 101 || d.Calls != 3 || !d.Estimated || !d.Priced {
		t.Errorf("after both saved: %+v, %+v", c, d)
	}
	got := loadRecord(t, root)
	if got.Schema != 1 || got.Days["2026-11-21"].Prompt != 101 || len(got.Conversations) != 2 || !got.Conversations["one"].Last.Equal(noon) {
		t.Errorf("on disk %+v", got)
	}
	if i, err := root.Stat(File); err != nil || i.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", i.Mode(), err)
	}
}

// TestLedgerAcrossMidnight: each call counts on the day it ended, even if the clock is set back.
func TestLedgerAcrossMidnight(t *testing.T) {
	root := statetest.Root(t)
	l := Open(root)
	late := time.Date(2026, 11, 21, 23, 59, 59, 0, time.Local)
	for i, at := range []time.Time{late, late.Add(2 * time.Second), late, late.AddDate(-30, 0, 0)} {
		u := llm.Usage{PromptTokens: 1 << i}
		l.Count("c", u, at)
	}
	got := loadRecord(t, root)
	if got.Days["2026-11-21"].Prompt != 5 || got.Days["2026-11-22"].Prompt != 2 || got.Days["1996-11-21"].Prompt != 8 {
		t.Errorf("days %+v", got.Days)
	}
	if c := got.Conversations["c"]; c.Prompt != 15 || !c.Last.Equal(late.Add(2*time.Second)) {
		t.Errorf("conversation %+v", c)
	}
}

// TestLedgerIsBounded: the oldest conversations are removed.
func TestLedgerIsBounded(t *testing.T) {
	const conversations = 2 * maxUsageConversations
	var u Record
	start := time.Date(2026, 1, 1, 12, 0, 0, 0, time.Local)
	for i := range conversations {
		use := conversationUse{Totals: event.Totals{Calls: 1}, Last: start.AddDate(0, 0, i)}
		u.merge(Record{Conversations: map[string]conversationUse{fmt.Sprint("c", i): use, fmt.Sprint("d", i): use}})
	}
	u.prune()
	if len(u.Conversations) != maxUsageConversations {
		t.Errorf("%d conversations", len(u.Conversations))
	}
	if _, old := u.Conversations["c0"]; old {
		t.Error("the oldest conversation was not removed")
	}
	if _, newest := u.Conversations[fmt.Sprint("d", conversations-1)]; !newest {
		t.Error("the newest conversation was removed")
	}
	data, err := json.Marshal(u)
	if err != nil || len(data) > 200_000 {
		t.Errorf("%d bytes, %v", len(data), err)
	}
}

// TestDamagedUsage cuts the file at every byte and flips its bytes: nothing panics, an invalid file is set aside as a
// whole, and counting continues.
func TestDamagedUsage(t *testing.T) {
	root := statetest.Root(t)
	l := Open(root)
	l.Count("c", llm.Usage{PromptTokens: 10, Cost: 0.5, HasCost: true}, time.Now())
	data, err := root.ReadFile(File)
	if err != nil {
		t.Fatal(err)
	}
	var cases [][]byte
	for cut := range len(data) - 1 {
		cases = append(cases, data[:cut])
	}
	random := rand.New(rand.NewPCG(3, 4))
	for i := range data {
		broken := bytes.Clone(data)
		broken[i] ^= byte(1 + random.IntN(255))
		cases = append(cases, broken)
	}
	path := filepath.Join(root.Name(), File)
	setAside := 0
	for i, broken := range cases {
		if err := os.WriteFile(path, broken, 0o600); err != nil {
			t.Fatal(err)
		}
		l := Open(root)
		_ = l.Refresh()
		l.Count("new", llm.Usage{PromptTokens: 1}, time.Now())
		if _, err := Load(root); errors.Is(err, statefile.ErrLater) {
			continue // the version was flipped, so it is unchanged
		}
		if got := loadRecord(t, root); got.Conversations["new"].Prompt != 1 {
			t.Fatalf("case %d: %+v", i, got)
		}
		aside, _ := filepath.Glob(path + ".corrupt-*")
		for _, name := range aside {
			setAside++
			if kept, _ := os.ReadFile(name); !bytes.Equal(kept, broken) {
				t.Fatalf("case %d: set aside as %q", i, kept)
			}
			if err := os.Remove(name); err != nil {
				t.Fatal(err)
			}
		}
	}
	if setAside < len(data)/2 {
		t.Errorf("only %d of %d were set aside", setAside, len(cases))
	}
	if temps, _ := filepath.Glob(filepath.Join(root.Name(), atomicfile.TempPrefix+"*")); len(temps) > 0 {
		t.Errorf("left: %v", temps)
	}
}

// TestUnwritableUsage checks that usage that cannot be written is counted in memory, with one notice.
func TestUnwritableUsage(t *testing.T) {
	root := statetest.Root(t)
	l, told := Open(root), 0
	l.Publish = func(event.Event) { told++ }
	if err := root.Mkdir(lock.StateLockFile, 0o700); err != nil { // a directory in place of the lock file
		t.Fatal(err)
	}
	l.Count("c", llm.Usage{PromptTokens: 5}, time.Now())
	if c, _ := l.Count("c", llm.Usage{PromptTokens: 6}, time.Now()); c.Prompt != 11 || told != 1 {
		t.Errorf("%+v, told %d times", c, told)
	}
	if err := root.Remove(lock.StateLockFile); err != nil {
		t.Fatal(err)
	}
	l.Count("c", llm.Usage{PromptTokens: 7}, time.Now())
	if got := loadRecord(t, root).Conversations["c"].Prompt; got != 7 {
		t.Errorf("%d are on disk", got)
	}
}

// TestConcurrentLedgers: several processes count and read at once; nothing is lost or counted twice.
func TestConcurrentLedgers(t *testing.T) {
	root := statetest.Root(t)
	const ledgers, goroutines, calls = 3, 2, 20
	var wg sync.WaitGroup
	for range ledgers {
		l := Open(root)
		for g := range goroutines {
			wg.Go(func() {
				for i := range calls {
					l.Count(fmt.Sprint(g), llm.Usage{PromptTokens: 1}, time.Now())
					if i%7 == 0 {
						_ = l.Refresh()
						l.Today("0")
					}
				}
			})
		}
	}
	wg.Wait()
	sum := 0
	got := loadRecord(t, root)
	for _, d := range got.Days {
		sum += d.Prompt
	}
	if c := got.Conversations["0"]; sum != ledgers*goroutines*calls || c.Prompt != ledgers*calls {
		t.Errorf("%d counted, %d in conversation 0", sum, c.Prompt)
	}
}
