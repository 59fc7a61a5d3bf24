package agent

import (
	"bytes"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"chatvault/agent/event"
	"chatvault/agent/llm"
	"chatvault/agent/spend"
	"chatvault/internal/base/statefile"
)

// TestUsageOfTurns: the events of a turn carry the totals of turn, conversation and day; they
// are on disk when it has ended, however it ended, and survive the process.
// TestLaterUsageIsKept: a file of a later version of the program is not touched, and turns work.
func TestLaterUsageIsKept(t *testing.T) {
	root := state(t)
	later := []byte(`{"schema":2,"weeks":{}}`)
	if err := root.WriteFile(spend.File, later, 0o600); err != nil {
		t.Fatal(err)
	}
	h := start(t, root, box(), say("one"), say("two"))
	for range 2 {
		h.send("go")
		wait[event.TurnFinished](h)
	}
	if data, err := root.ReadFile(spend.File); err != nil || !bytes.Equal(data, later) {
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
	if _, _, err := h.Usage(); !errors.Is(err, statefile.ErrLater) {
		t.Errorf("usage: %v", err)
	}
}

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
	if got := loadedUsage(t, root).Days[time.Now().Format(time.DateOnly)]; got.Calls != 4 || got.Prompt != 400 {
		t.Errorf("on disk: %+v", got)
	}
	h.NewConversation()
	h.send("in another conversation")
	r := wait[event.UsageReported](h)
	if r.Turn.Calls != 1 || r.Conversation.Calls != 1 || !r.Conversation.Estimated || r.Day.Calls != 5 || !r.Day.Estimated {
		t.Errorf("%+v", r)
	}
	wait[event.TurnFinished](h)
	h.stop()

	next := start(t, root, box(), say("x"))
	if c, d, err := next.Usage(); err != nil || c.Calls != 1 || d.Calls != 5 || !d.Estimated || d.Cost < 0.0039 || d.Cost > 0.0041 {
		t.Errorf("after a restart: %+v, %+v, %v", c, d, err)
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
	got := loadedUsage(t, root)
	if d := got.Days[time.Now().Format(time.DateOnly)]; d.Calls != 1 || d.Prompt != 1000 || len(got.Conversations) != 1 {
		t.Errorf("on disk during the turn: %+v", got)
	}
	h.Stop()
	wait[event.TurnStopped](h)
	if d := loadedUsage(t, root).Days[time.Now().Format(time.DateOnly)]; d.Calls != 1 {
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
	h.opt.Budget.Price = func(string) (spend.Price, bool) { return spend.Price{Input: 2, Output: 10}, true }
	h.send("go")
	wait[event.TurnFinished](h)
	if d := loadedUsage(t, root).Days[time.Now().Format(time.DateOnly)]; !d.Priced || d.Cost != 0.003 {
		t.Errorf("%+v", d)
	}
}

func loadedUsage(t *testing.T, root *os.Root) spend.Record {
	t.Helper()
	u, err := spend.Load(root)
	if err != nil {
		t.Fatal(err)
	}
	return u
}
