package agent

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"chatvault/agent/event"
	"chatvault/agent/inbox"
	"chatvault/agent/llm"
	"chatvault/agent/lock"
	"chatvault/internal/atomicfile"
)

func loaded(t *testing.T, root *os.Root) usageRecord {
	t.Helper()
	u, err := loadUsage(root)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// TestLedger: what is counted is in the totals at once, on disk after a save, once, and summed
// over processes.
func TestLedger(t *testing.T) {
	root := state(t)
	a, b := newLedger(root), newLedger(root)
	noon := time.Date(2026, 11, 21, 12, 0, 0, 0, time.Local)
	u := llm.Usage{PromptTokens: 100, CachedTokens: 40, CompletionTokens: 20, ReasoningTokens: 5, Cost: 0.01, HasCost: true}
	c, d := a.count("one", u, noon)
	if want := (event.Totals{Calls: 1, Prompt: 100, Cached: 40, Completion: 20, Reasoning: 5, Cost: 0.01, Priced: true, Estimated: false}); c != want || d != want {
		t.Errorf("%+v, %+v", c, d)
	}
	if _, err := root.Stat(usageFile); !errors.Is(err, fs.ErrNotExist) {
		t.Error("it is on disk before the turn ended")
	}
	b.count("two", llm.Usage{PromptTokens: 1, Estimated: true}, noon)
	for range 2 { // saving again adds nothing
		if err := errors.Join(a.save(), b.save()); err != nil {
			t.Fatal(err)
		}
	}
	if c, d := b.count("one", llm.Usage{}, noon); c.Prompt != 100 || c.Calls != 2 || c.Estimated || d.Prompt != 101 || d.Calls != 3 || !d.Estimated || !d.Priced {
		t.Errorf("after both saved: %+v, %+v", c, d)
	}
	got := loaded(t, root)
	if got.Schema != 1 || got.Days["2026-11-21"].Prompt != 101 || len(got.Conversations) != 2 || !got.Conversations["one"].Last.Equal(noon) {
		t.Errorf("on disk %+v", got)
	}
	if i, err := root.Stat(usageFile); err != nil || i.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", i.Mode(), err)
	}
}

// TestLedgerOverMidnight: each call counts on the day it ended; a clock that goes back harms
// nothing.
func TestLedgerOverMidnight(t *testing.T) {
	root := state(t)
	l := newLedger(root)
	late := time.Date(2026, 11, 21, 23, 59, 59, 0, time.Local)
	for i, at := range []time.Time{late, late.Add(2 * time.Second), late, late.AddDate(-30, 0, 0)} {
		u := llm.Usage{PromptTokens: 1 << i}
		l.count("c", u, at)
	}
	if err := l.save(); err != nil {
		t.Fatal(err)
	}
	got := loaded(t, root)
	if got.Days["2026-11-21"].Prompt != 5 || got.Days["2026-11-22"].Prompt != 2 || got.Days["1996-11-21"].Prompt != 8 {
		t.Errorf("days %+v", got.Days)
	}
	if c := got.Conversations["c"]; c.Prompt != 15 || !c.Last.Equal(late.Add(2*time.Second)) {
		t.Errorf("conversation %+v", c)
	}
}

// TestLedgerIsBounded: the oldest days and conversations go, never today.
func TestLedgerIsBounded(t *testing.T) {
	var u usageRecord
	start := time.Date(2026, 1, 1, 12, 0, 0, 0, time.Local)
	for i := range maxUsageDays + 100 {
		at := start.AddDate(0, 0, i)
		u.add(fmt.Sprint("c", i), day(at), event.Totals{Calls: 1}, at)
		u.add(fmt.Sprint("d", i), day(at), event.Totals{Calls: 1}, at)
	}
	for _, today := range []string{day(start.AddDate(0, 0, maxUsageDays+99)), "1970-01-01"} {
		u.Days[today] = event.Totals{Calls: 7}
		u.prune(today)
		if len(u.Days) != maxUsageDays || len(u.Conversations) != maxUsageConversations || u.Days[today].Calls != 7 {
			t.Errorf("today %s: %d days, %d conversations, today %+v", today, len(u.Days), len(u.Conversations), u.Days[today])
		}
	}
	if _, old := u.Conversations["c0"]; old {
		t.Error("the oldest conversation stays")
	}
	if _, newest := u.Conversations[fmt.Sprint("d", maxUsageDays+99)]; !newest {
		t.Error("the newest conversation goes")
	}
	data, err := json.Marshal(u)
	if err != nil || len(data) > 200_000 {
		t.Errorf("%d bytes, %v", len(data), err)
	}
}

// TestDamagedUsage cuts the file at every byte and flips its bytes: nothing panics, what makes
// no sense is set aside whole, and counting goes on.
func TestDamagedUsage(t *testing.T) {
	root := state(t)
	l := newLedger(root)
	l.count("c", llm.Usage{PromptTokens: 10, Cost: 0.5, HasCost: true}, time.Now())
	if err := l.save(); err != nil {
		t.Fatal(err)
	}
	data, err := root.ReadFile(usageFile)
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
	path := filepath.Join(root.Name(), usageFile)
	setAside := 0
	for i, broken := range cases {
		if err := os.WriteFile(path, broken, 0o600); err != nil {
			t.Fatal(err)
		}
		l := newLedger(root)
		_ = l.refresh()
		l.count("new", llm.Usage{PromptTokens: 1}, time.Now())
		err := l.save()
		if errors.Is(err, inbox.ErrLater) {
			continue // its version was flipped: it is left as it is
		}
		if err != nil {
			t.Fatalf("case %d: %v", i, err)
		}
		if got := loaded(t, root); got.Conversations["new"].Prompt != 1 {
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

// TestLaterUsageStays: a file of a later version of the program is not touched, and turns work.
func TestLaterUsageStays(t *testing.T) {
	root := state(t)
	later := []byte(`{"schema":2,"weeks":{}}`)
	if err := root.WriteFile(usageFile, later, 0o600); err != nil {
		t.Fatal(err)
	}
	h := start(t, root, box(), say("one"), say("two"))
	for range 2 {
		h.send("go")
		wait[event.TurnFinished](h)
	}
	if data, err := root.ReadFile(usageFile); err != nil || !bytes.Equal(data, later) {
		t.Errorf("%q, %v", data, err)
	}
	told := 0
	for _, e := range h.seen {
		if n, ok := e.(event.Notice); ok && strings.Contains(n.Text, "later version") {
			told++
		}
	}
	if told != 1 {
		t.Errorf("told %d times", told)
	}
	if _, _, err := h.Usage(); !errors.Is(err, inbox.ErrLater) {
		t.Errorf("usage: %v", err)
	}
}

// TestUsageThatCannotBeWritten is kept, and written later.
func TestUsageThatCannotBeWritten(t *testing.T) {
	root := state(t)
	l := newLedger(root)
	if err := root.Mkdir(lock.StateLockFile, 0o700); err != nil { // a folder where the lock should be
		t.Fatal(err)
	}
	l.count("c", llm.Usage{PromptTokens: 5}, time.Now())
	if err := l.save(); err == nil {
		t.Error("saved without the lock")
	}
	if c, _ := l.count("c", llm.Usage{PromptTokens: 6}, time.Now()); c.Prompt != 11 {
		t.Errorf("%+v", c)
	}
	if err := root.Remove(lock.StateLockFile); err != nil {
		t.Fatal(err)
	}
	if err := l.save(); err != nil || loaded(t, root).Conversations["c"].Prompt != 11 {
		t.Errorf("%+v, %v", loaded(t, root), err)
	}
}

// TestLedgersBesideEachOther: several processes count, save and look at once; nothing is lost
// or counted twice.
func TestLedgersBesideEachOther(t *testing.T) {
	root := state(t)
	const ledgers, goroutines, calls = 3, 2, 20
	var wg sync.WaitGroup
	for range ledgers {
		l := newLedger(root)
		for g := range goroutines {
			wg.Go(func() {
				for i := range calls {
					l.count(fmt.Sprint(g), llm.Usage{PromptTokens: 1}, time.Now())
					if i%5 == 4 {
						if err := l.save(); err != nil {
							t.Error(err)
						}
					}
					if i%7 == 0 {
						_ = l.refresh()
						l.look("0", today())
					}
				}
			})
		}
	}
	wg.Wait()
	sum := 0
	got := loaded(t, root)
	for _, d := range got.Days {
		sum += d.Prompt
	}
	if c := got.Conversations["0"]; sum != ledgers*goroutines*calls || c.Prompt != ledgers*calls {
		t.Errorf("%d counted, %d in conversation 0", sum, c.Prompt)
	}
}

// TestLedgerKeepsCount, whatever the order of counting, saving and looking.
func TestLedgerKeepsCount(t *testing.T) {
	dir := memory(t)
	rapid.Check(t, func(t *rapid.T) {
		root, err := os.OpenRoot(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = errors.Join(root.RemoveAll(usageFile), root.Close()) }()
		all := []*ledger{newLedger(root), newLedger(root)}
		at := time.Date(2026, 11, 21, 12, 0, 0, 0, time.Local)
		want, unsaved := 0, []int{0, 0}
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			n := rapid.IntRange(0, 1).Draw(t, "ledger")
			switch rapid.IntRange(0, 3).Draw(t, "step") {
			case 0, 1:
				tokens := rapid.IntRange(0, 1000).Draw(t, "tokens")
				all[n].count("c", llm.Usage{PromptTokens: tokens}, at)
				want += tokens
				unsaved[n] += tokens
			case 2:
				if err := all[n].save(); err != nil {
					t.Fatal(err)
				}
				unsaved[n] = 0
			case 3:
				if err := all[n].refresh(); err != nil {
					t.Fatal(err)
				}
				c, d := all[n].look("c", day(at))
				if c.Prompt != want-unsaved[1-n] || c != d {
					t.Fatalf("%+v, %+v, want %d of %d", c, d, want-unsaved[1-n], want)
				}
			}
		}
	})
}

// TestUsageOfTurns: the events of a turn carry the totals of turn, conversation and day; they
// are on disk when it has ended, however it ended, and survive the process.
func TestUsageOfTurns(t *testing.T) {
	root := state(t)
	u := llm.Usage{PromptTokens: 100, CachedTokens: 60, CompletionTokens: 10, ReasoningTokens: 4, Cost: 0.001, HasCost: true}
	h := start(t, root, box(tool("read_file", true, "x")),
		withUsage(u, use("read_file", `{}`)), withUsage(u, say("one")),
		withUsage(u, use("read_file", `{}`)), failWith(llm.Error{Kind: llm.KindAuth}),
		withUsage(u, use("read_file", `{}`)), hang,
		say("estimated"))
	h.send("answered")
	wait[event.TurnFinished](h)
	var turn []int
	for _, e := range h.seen {
		if r, ok := e.(event.UsageReported); ok {
			turn = append(turn, r.Turn.Calls, r.Conversation.Calls, r.Day.Calls)
			if r.Usage != u || r.Day.Cached != 60*r.Day.Calls || r.Day.Reasoning != 4*r.Day.Calls || !r.Day.Priced {
				t.Errorf("%+v", r)
			}
		}
	}
	if !slices.Equal(turn, []int{1, 1, 1, 2, 2, 2}) {
		t.Errorf("calls of turn, conversation, day: %v", turn)
	}
	h.send("fails")
	wait[event.TurnFailed](h)
	if c, d, err := h.Usage(); err != nil || c.Calls != 3 || d != c {
		t.Errorf("after a failure: %+v, %+v, %v", c, d, err)
	}
	h.send("is stopped")
	h.until(func(e event.Event) bool { _, ok := e.(event.TextDelta); return ok })
	if c, _, err := h.Usage(); err != nil || c.Calls != 4 {
		t.Errorf("during a turn: %+v, %v", c, err)
	}
	h.Stop()
	wait[event.TurnStopped](h)
	if got := loaded(t, root).Days[today()]; got.Calls != 4 || got.Prompt != 400 {
		t.Errorf("on disk: %+v", got)
	}
	h.NewConversation()
	h.send("in another conversation")
	r := wait[event.UsageReported](h)
	if r.Turn.Calls != 1 || r.Conversation.Calls != 1 || !r.Conversation.Estimated || r.Day.Calls != 5 || !r.Day.Estimated {
		t.Errorf("%+v", r)
	}
	if tokens, window := h.Context(); tokens != r.Context || window != r.Window || window == 0 {
		t.Errorf("context %d of %d, the event says %d of %d", tokens, window, r.Context, r.Window)
	}
	wait[event.TurnFinished](h)
	h.stop()

	next := start(t, root, box(), say("x"))
	if tokens, window := next.Context(); tokens != 0 || window != 0 {
		t.Errorf("a context of what nobody has read: %d of %d", tokens, window)
	}
	if c, d, err := next.Usage(); err != nil || c.Calls != 1 || d.Calls != 5 || !d.Estimated || d.Cost < 0.0039 || d.Cost > 0.0041 {
		t.Errorf("after a restart: %+v, %+v, %v", c, d, err)
	}
	if tokens, window := next.Context(); tokens != r.Context || window != r.Window {
		t.Errorf("context after a restart: %d of %d, want %d of %d", tokens, window, r.Context, r.Window)
	}
}

// TestUsageIsWrittenWithEachCall: what a model call used is on disk while its turn goes on, so
// that it is not lost where the process is.
func TestUsageIsWrittenWithEachCall(t *testing.T) {
	root := state(t)
	u := llm.Usage{PromptTokens: 1000}
	h := start(t, root, box(tool("read_file", true, "x")), withUsage(u, use("read_file", `{}`)), hang)
	h.send("go")
	h.until(func(e event.Event) bool { _, ok := e.(event.TextDelta); return ok })
	got := loaded(t, root)
	if d := got.Days[today()]; d.Calls != 1 || d.Prompt != 1000 || len(got.Conversations) != 1 {
		t.Errorf("on disk during the turn: %+v", got)
	}
	h.Stop()
	wait[event.TurnStopped](h)
	if d := loaded(t, root).Days[today()]; d.Calls != 1 {
		t.Errorf("on disk after it: %+v", d)
	}
}

// TestUsageOfAStoppedBeginning: a conversation whose first turn was stopped has used what that
// used, and goes on with the next turn, unless the user wants another one.
func TestUsageOfAStoppedBeginning(t *testing.T) {
	for _, another := range []bool{false, true} {
		u := llm.Usage{PromptTokens: 1000}
		h := start(t, state(t), box(tool("read_file", true, "x")), withUsage(u, use("read_file", `{}`)), hang, withUsage(u, say("ok")))
		h.send("one")
		h.until(func(e event.Event) bool { _, ok := e.(event.TextDelta); return ok })
		h.Stop()
		wait[event.TurnStopped](h)
		if c, d, err := h.Usage(); err != nil || c.Prompt != 1000 || d.Prompt != 1000 {
			t.Errorf("after a stop: %+v, %+v, %v", c, d, err)
		}
		want := 2000
		if another {
			want = 1000
			h.NewConversation()
			if c, _, err := h.Usage(); err != nil || c.Prompt != 0 {
				t.Errorf("of the next conversation: %+v, %v", c, err)
			}
		}
		h.send("two")
		first := wait[event.TurnFinished](h)
		if c, d, err := h.Usage(); err != nil || c.Prompt != want || d.Prompt != 2000 {
			t.Errorf("another %v: %+v, %+v, %v", another, c, d, err)
		}
		h.NewConversation()
		h.send("three")
		if next := wait[event.TurnFinished](h); next.ConversationID == first.ConversationID {
			t.Error("an ended conversation goes on")
		}
	}
}

// TestPriceIsCounted where the provider reports no cost.
func TestPriceIsCounted(t *testing.T) {
	root := state(t)
	h := start(t, root, box(), withUsage(llm.Usage{PromptTokens: 1000, CompletionTokens: 100}, say("x")))
	h.opt.Budget.Price = func(string) (Price, bool) { return Price{Input: 2, Output: 10}, true }
	h.send("go")
	wait[event.TurnFinished](h)
	if d := loaded(t, root).Days[today()]; !d.Priced || d.Cost != 0.003 {
		t.Errorf("%+v", d)
	}
}
