package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"chatvault/agent/event"
	"chatvault/agent/inbox"
	"chatvault/agent/llm"
	"chatvault/agent/spend"
	"chatvault/conversation"
	"chatvault/tools"
)

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "chatvault-data") // with the trash of these tests
	if err != nil {
		panic(err)
	}
	if err := os.Setenv("XDG_DATA_HOME", dir); err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(status int) {
		_ = os.RemoveAll(dir)
		os.Exit(status)
	}))
}

func tool(name string, readOnly bool, text string) fakeTool {
	return fakeTool{name, readOnly, func(context.Context, json.RawMessage) tools.Result { return tools.Result{Text: text, Summary: "ok"} }}
}

func TestTurnWithTools(t *testing.T) {
	h := start(t, state(t), box(tool("read_file", true, "1: hello")),
		use("read_file", `{"path":"a.md"}`), say("It says hello."), use("read_file", `{"path":"a.md"}`), say("Still hello."))
	m := h.send("what does a say?")
	f := wait[event.TurnFinished](h)
	if !f.Success || f.Response != "It says hello." || f.MessageID != m.ID || f.StopReason != event.StopCompleted || !slices.Equal(f.ToolsUsed, []string{"read_file"}) {
		t.Errorf("finished: %+v", f)
	}
	want := []string{
		"Received", "TurnStarted", "ConversationBegan", "StateChanged:thinking", "ToolCallDelta", "UsageReported", "StateChanged:acting", "ToolStarted", "ToolFinished",
		"StateChanged:observing", "StateChanged:thinking", "TextDelta", "UsageReported", "TextDone", "StateChanged:completed", "TurnFinished",
	}
	got := slices.Compact(kinds(h.seen))
	if !slices.Equal(got, want) {
		t.Errorf("events\n got %v\nwant %v", got, want)
	}
	if ids := h.inboxIDs(); len(ids) > 0 {
		t.Errorf("inbox keeps %v", ids)
	}
	turns := h.turns()
	if len(turns) != 1 || len(turns[0].Messages) != 4 || turns[0].Failed {
		t.Fatalf("recorded: %+v", turns)
	}

	// The next turn is sent the first one as real messages.
	h.send("and again?")
	wait[event.TurnFinished](h)
	roles := ""
	for _, m := range h.model.calls()[2].Messages {
		roles += string(m.Role) + " "
	}
	if roles != "system user assistant tool assistant user " {
		t.Errorf("roles %q", roles)
	}
	// The model counts its calls from zero again: the id in the events is the new one throughout.
	var ids []string
	for _, e := range h.seen {
		switch e := e.(type) {
		case event.ToolCallDelta:
			ids = append(ids, e.ID)
		case event.ToolStarted:
			ids = append(ids, e.ID)
		case event.ToolFinished:
			ids = append(ids, e.ID)
		}
	}
	if want := []string{"call_0", "call_0", "call_0", "call_0-2", "call_0-2", "call_0-2"}; !slices.Equal(ids, want) {
		t.Errorf("ids %v, want %v", ids, want)
	}
}

// TestStop stops a turn in every state: nothing is recorded, nothing stays in the inbox, and
// the processor goes on with the next message, which is told of the stop.
func TestStop(t *testing.T) {
	slow := fakeTool{name: "write_file", call: func(ctx context.Context, _ json.RawMessage) tools.Result {
		<-ctx.Done()
		return tools.Result{Text: "Error: stopped", IsError: true}
	}}
	silent := func(ctx context.Context, _ llm.Request, yield func(llm.Chunk, error) bool) {
		<-ctx.Done()
		yield(llm.Chunk{}, &llm.Error{Kind: llm.KindAborted})
	}
	overloaded := failWith(llm.Error{Kind: llm.KindRateLimit, RetryAfter: 50 * time.Second})
	for _, c := range []struct {
		name  string
		first []reply
		at    func(event.Event) bool
	}{
		{"before the first byte", []reply{silent}, func(e event.Event) bool { s, ok := e.(event.StateChanged); return ok && s.State == event.StateThinking }},
		{"mid-stream", []reply{hang}, func(e event.Event) bool { _, ok := e.(event.TextDelta); return ok }},
		{"in a tool", []reply{use("write_file", `{}`, "write_file", `{}`)}, func(e event.Event) bool { _, ok := e.(event.ToolStarted); return ok }},
		{"in a retry wait", []reply{overloaded}, func(e event.Event) bool { _, ok := e.(event.Retry); return ok }},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := start(t, state(t), box(slow), append(c.first, say("fine"))...)
			h.send("do something long")
			h.until(c.at)
			began := time.Now()
			h.Stop()
			e := wait[event.TurnStopped](h)
			if d := time.Since(began); d > 250*time.Millisecond {
				t.Errorf("stopped after %v", d)
			}
			if e.TurnID == "" || h.Busy() || len(h.inboxIDs()) > 0 || len(h.turns()) > 0 {
				t.Errorf("after the stop: %+v, busy %v, inbox %v, turns %v", e, h.Busy(), h.inboxIDs(), h.turns())
			}
			h.Stop() // idle: nothing happens
			h.send("next")
			if f := wait[event.TurnFinished](h); f.Response != "fine" {
				t.Errorf("next turn: %+v", f)
			}
			calls := h.model.calls()
			last := calls[len(calls)-1].Messages
			if got := last[len(last)-1].Prompt(); !strings.Contains(got, "stopped the previous request (“do something long”)") {
				t.Errorf("the next turn is not told: %q", got)
			}
			h.send("third")
			wait[event.TurnFinished](h)
			calls = h.model.calls()
			last = calls[len(calls)-1].Messages
			if got := last[len(last)-1].Prompt(); strings.Contains(got, "stopped") {
				t.Errorf("told twice: %q", got)
			}
		})
	}
}

func TestFailureStaysInTheInboxAndCanBeRetried(t *testing.T) {
	h := start(t, state(t), box(), failWith(llm.Error{Kind: llm.KindAuth, Status: 401, Message: "bad key"}), say("now it works"))
	m := h.send("hello")
	f := wait[event.TurnFailed](h)
	if f.Code != llm.KindAuth || !strings.Contains(f.Text, "API key is missing or invalid") || !strings.Contains(f.Text, "bad key") {
		t.Errorf("failed: %+v", f)
	}
	if ids := h.inboxIDs(); !slices.Equal(ids, []string{m.ID}) {
		t.Errorf("inbox: %v", ids)
	}
	if turns := h.turns(); len(turns) != 1 || !turns[0].Failed {
		t.Errorf("a failed turn is recorded and marked: %+v", turns)
	}
	if err := h.Retry(m.ID); err != nil {
		t.Fatal(err)
	}
	if f := wait[event.TurnFinished](h); f.Response != "now it works" {
		t.Errorf("retried: %+v", f)
	}
	if ids := h.inboxIDs(); len(ids) > 0 {
		t.Errorf("inbox: %v", ids)
	}
}

func TestRetryRepeatsTheModelCallOnly(t *testing.T) {
	var ran atomic.Int32
	write := fakeTool{name: "write_file", call: func(context.Context, json.RawMessage) tools.Result {
		ran.Add(1)
		return tools.Result{Text: "Created."}
	}}
	h := start(t, state(t), box(write), use("write_file", `{}`),
		failWith(llm.Error{Kind: llm.KindNetwork}), failWith(llm.Error{Kind: llm.KindRateLimit}), say("done"))
	h.send("write")
	f := wait[event.TurnFinished](h)
	if ran.Load() != 1 || len(h.model.calls()) != 4 || f.Response != "done" {
		t.Errorf("ran %d times, %d calls, %+v", ran.Load(), len(h.model.calls()), f)
	}
	n := 0
	for _, e := range h.seen {
		if r, ok := e.(event.Retry); ok {
			n++
			if r.Attempt != n+1 {
				t.Errorf("retry %d says attempt %d", n, r.Attempt)
			}
		}
	}
	if n != 2 {
		t.Errorf("%d retries shown", n)
	}
}

func TestQueuedMessagesShareATurn(t *testing.T) {
	gate := make(chan struct{})
	first := func(ctx context.Context, req llm.Request, yield func(llm.Chunk, error) bool) {
		<-gate
		say("one")(ctx, req, yield)
	}
	h := start(t, state(t), box(), first, say("rest"))
	h.send("1")
	wait[event.TurnStarted](h)
	b, c, d := h.hold("2"), h.hold("3"), h.hold("4")
	for range 3 {
		if r := wait[event.Received](h); !r.Queued {
			t.Errorf("%+v should be queued", r)
		}
	}
	if ids := h.inboxIDs(); len(ids) != 4 {
		t.Errorf("inbox: %v", ids)
	}
	if _, err := h.Submit(context.Background(), b); err != nil { // the same id again
		t.Error(err)
	}
	if got, ok := h.TakeBack(c.ID); !ok || got.Text != "3" {
		t.Errorf("taken back: %+v %v", got, ok)
	}
	close(gate)
	wait[event.TurnFinished](h)
	if s := wait[event.TurnStarted](h); !slices.Equal(s.MessageIDs, []string{b.ID, d.ID}) {
		t.Errorf("second turn takes %v", s.MessageIDs)
	}
	wait[event.TurnFinished](h)
	last := h.model.calls()[1].Messages
	if last[len(last)-2].Content != "2" || last[len(last)-1].Content != "4" {
		t.Errorf("sent: %+v", last)
	}
	if ids := h.inboxIDs(); len(ids) > 0 {
		t.Errorf("inbox keeps %v", ids)
	}
}

func TestTurnEndsWithAQuestion(t *testing.T) {
	var wrote atomic.Bool
	write := fakeTool{name: "write_file", call: func(context.Context, json.RawMessage) tools.Result {
		wrote.Store(true)
		return tools.Result{Text: "x"}
	}}
	h := start(t, state(t), box(write),
		use(sendMessage, `{"message":"Looking."}`, sendMessage, `{"message":"Which one?","is_question":true}`, "write_file", `{}`), say("thanks"))
	h.send("move it")
	f := wait[event.TurnFinished](h)
	if !f.IsWaitingForResponse || f.StopReason != event.StopWaiting || f.Response != "Which one?" || wrote.Load() {
		t.Errorf("finished: %+v, wrote %v", f, wrote.Load())
	}
	if got := strings.Join(kinds(h.seen), " "); !strings.Contains(got, "StateChanged:waiting_clarification TurnFinished") {
		t.Errorf("events: %v", got)
	}
	h.send("the second")
	wait[event.TurnFinished](h)
	last := h.model.calls()[1].Messages
	if got := last[len(last)-1].Prompt(); !strings.HasPrefix(got, "the second") || !strings.Contains(got, "You had asked the user: “Which one?”") {
		t.Errorf("the answer is sent as %q", got)
	}
}

// TestToolsAreCalledAfterTheLast: what is called when no tool can be called any more does not run; where
// nothing is said beside it, the model is asked once more, and no oftener.
func TestToolsAreCalledAfterTheLast(t *testing.T) {
	look := use("list_files", `{}`)
	for _, c := range []struct {
		name  string
		last  []reply
		want  string
		calls int
	}{
		{"then answers", []reply{look, say("This far.")}, "This far.", 5},
		{"never answers", []reply{look, look}, "", 5},
		{"answers beside it", []reply{func(ctx context.Context, req llm.Request, yield func(llm.Chunk, error) bool) {
			if yield(llm.Chunk{Text: "So far."}, nil) {
				look(ctx, req, yield)
			}
		}}, "So far.", 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			ran := 0
			counting := fakeTool{name: "list_files", readOnly: true, call: func(context.Context, json.RawMessage) tools.Result {
				ran++
				return tools.Result{Text: fmt.Sprint("none ", ran), Summary: "none"}
			}}
			h := start(t, state(t), box(counting), append([]reply{look, look, look}, c.last...)...)
			h.send("loop")
			f := wait[event.TurnFinished](h)
			if f.StopReason != event.StopToolLimit || f.Response != c.want || ran != 3 || len(h.model.calls()) != c.calls {
				t.Errorf("%+v after %d calls, %d ran", f, len(h.model.calls()), ran)
			}
			h.model.replies = append(h.model.replies, say("ok"))
			h.send("more")
			wait[event.TurnFinished](h)
			grows(t, h.model.calls())
		})
	}
}

func TestToolLimitEndsWithASummary(t *testing.T) {
	h := start(t, state(t), box(tool("list_files", true, "none")), use("list_files", `{}`), use("list_files", `{}`), use("list_files", `{}`), say("This far."))
	h.send("loop")
	f := wait[event.TurnFinished](h)
	calls := h.model.calls()
	if f.StopReason != event.StopToolLimit || f.Response != "This far." || len(calls) != 4 || !calls[3].NoCalls || calls[2].NoCalls {
		t.Errorf("%+v after %d calls", f, len(calls))
	}
	if last := calls[3].Messages[len(calls[3].Messages)-1].Content; !strings.Contains(last, "The limit of 3 rounds of tool calls is reached: no tool can be called any more in this turn.") {
		t.Errorf("the model is told %q", last)
	}
	grows(t, calls)
	if !slices.Contains(kinds(h.seen), "Notice") {
		t.Error("the user is not told")
	}
}

// TestLoopInOneResponse: six failures in one response are told; the turn goes on.
func TestLoopInOneResponse(t *testing.T) {
	bad := fakeTool{name: "edit_file", call: func(_ context.Context, args json.RawMessage) tools.Result {
		return tools.Result{Text: "Error: " + string(args), IsError: true}
	}}
	var calls []string
	for i := range 6 {
		calls = append(calls, "edit_file", fmt.Sprintf(`{"n":%d}`, i))
	}
	h := start(t, state(t), box(bad), use(calls...), say("I give up."))
	h.send("go")
	if f := wait[event.TurnFinished](h); f.StopReason != event.StopCompleted || len(h.model.calls()[1].Tools) == 0 {
		t.Errorf("%+v", f)
	}
	told := 0
	for _, m := range h.model.calls()[1].Messages {
		told += strings.Count(m.Content, "round in circles")
	}
	if told != 1 {
		t.Errorf("told %d times", told)
	}
}

// TestBudget: the turn ends before the call that the budget does not allow, with an account.
func TestBudget(t *testing.T) {
	costly := func(ctx context.Context, req llm.Request, yield func(llm.Chunk, error) bool) {
		yield(llm.Chunk{Usage: &llm.Usage{PromptTokens: 900, CachedTokens: 400, CompletionTokens: 100}}, nil)
		use("list_files", `{}`)(ctx, req, yield)
	}
	price := func(string) (spend.Price, bool) { return spend.Price{Input: 2, CachedInput: 1, Output: 10}, true }
	for name, b := range map[string]spend.Budget{
		"tokens": {Tokens: 1500},
		"usd":    {USD: 0.004, Price: price}, // a call is 500*2 + 400*1 + 100*10 = 2400 millionths
	} {
		t.Run(name, func(t *testing.T) {
			h := start(t, state(t), box(tool("list_files", true, "none")), costly)
			h.opt.Budget, h.opt.MaxRounds = b, 10
			h.send("go")
			f := wait[event.TurnFinished](h)
			if f.StopReason != event.StopBudget || len(h.model.calls()) != 2 || !strings.Contains(f.Response, "budget_"+name) {
				t.Errorf("%+v after %d calls", f, len(h.model.calls()))
			}
			if turns := h.turns(); len(turns) != 1 || turns[0].Failed {
				t.Errorf("recorded %+v", turns)
			}
		})
	}
}

func TestUsageIsEstimatedWhereNoneIsReported(t *testing.T) {
	h := start(t, state(t), box(), say("four words of answer"))
	h.send("a question")
	u := wait[event.UsageReported](h).Usage
	if !u.Estimated || u.PromptTokens < 50 || u.CompletionTokens != 5 {
		t.Errorf("%+v", u)
	}
}

// TestFallback: the next provider takes over in the same turn; the tool that ran does not run
// again, and the user is told who failed, and why.
func TestFallback(t *testing.T) {
	var ran atomic.Int32
	write := fakeTool{name: "write_file", call: func(context.Context, json.RawMessage) tools.Result {
		ran.Add(1)
		return tools.Result{Text: "Created."}
	}}
	for _, c := range []struct {
		err      llm.Error
		calls    int // of the first provider, beside the one that succeeded
		takeover bool
	}{
		{llm.Error{Kind: llm.KindAuth, Status: 401}, 1, true},
		{llm.Error{Kind: llm.KindRateLimit, Reason: llm.ReasonQuota, Final: true}, 1, true},
		{llm.Error{Kind: llm.KindInvalidRequest, Reason: llm.ReasonModelNotFound}, 1, true},
		{llm.Error{Kind: llm.KindNetwork, Final: true}, 1, true},
		{llm.Error{Kind: llm.KindInvalidRequest, Status: 400}, 1, true}, // its form
		{llm.Error{Kind: llm.KindInvalidRequest, Status: 422}, 1, true},
		{llm.Error{Kind: llm.KindInvalidRequest, Status: 413, Reason: llm.ReasonTooLarge}, 1, false},
		{llm.Error{Kind: llm.KindInvalidRequest}, 1, false}, // found by ourselves
	} {
		ran.Store(0)
		h := start(t, state(t), box(write), use("write_file", `{}`), failWith(c.err))
		second := &fakeModel{t: t, replies: []reply{say("Taken over.")}}
		h.opt.Fallback = []llm.Provider{named{second, "second"}}
		h.send("write")
		if !c.takeover {
			wait[event.TurnFailed](h)
			continue
		}
		f := wait[event.TurnFinished](h)
		if f.Response != "Taken over." || ran.Load() != 1 || len(h.model.calls()) != 1+c.calls || len(second.calls()) != 1 {
			t.Errorf("%v: %+v, ran %d times, %d and %d calls", &c.err, f, ran.Load(), len(h.model.calls()), len(second.calls()))
		}
		if got := h.turns()[0].Provider; got != "second" {
			t.Errorf("recorded provider %q", got)
		}
		told := ""
		for _, e := range h.seen {
			if n, ok := e.(event.Notice); ok {
				told += n.Text
			}
		}
		if !strings.Contains(told, "fake failed") || !strings.Contains(told, "second takes over") {
			t.Errorf("told %q", told)
		}
	}
}

// named is a model under another name.
type named struct {
	llm.Provider
	name string
}

func (n named) Name() string { return n.name }

// TestLoopIsWarnedThenEnded checks that a model that repeats itself gets one warning, and then the turn ends with a
// summary.
func TestLoopIsWarnedThenEnded(t *testing.T) {
	same := use("list_files", `{}`)
	p := state(t)
	h := start(t, p, box(tool("list_files", true, "none")), same, same, same, same, say("I was stuck."))
	h.opt.MaxRounds = 10
	h.send("loop")
	f := wait[event.TurnFinished](h)
	calls := h.model.calls()
	if f.StopReason != event.StopLoop || f.Response != "I was stuck." || len(calls) != 5 || !calls[4].NoCalls {
		t.Fatalf("%+v after %d calls", f, len(calls))
	}
	last := calls[3].Messages[len(calls[3].Messages)-1].Content
	if !strings.Contains(last, "round in circles: the same call of list_files gave the same result 3 times") {
		t.Errorf("the model is told %q", last)
	}
}

func TestEmptyAnswerIsRetriedOnce(t *testing.T) {
	h := start(t, state(t), box(), say(""))
	h.send("hello")
	if f := wait[event.TurnFinished](h); f.StopReason != event.StopNoProgress || len(h.model.calls()) != 2 {
		t.Errorf("%+v after %d calls", f, len(h.model.calls()))
	}
	h.send("again") // the history must stay valid
	wait[event.TurnFinished](h)
}

func TestTruncatedResponseRunsNoCalls(t *testing.T) {
	for name, first := range map[string]reply{
		"cut at the token limit": useWith(llm.FinishLength, "write_file", `{"path":"a.md"}`),
		"half JSON":              use("write_file", `{"path":"a.`),
		"two objects":            use("write_file", `{}{}`),
		"an array":               use("write_file", `[1]`),
	} {
		t.Run(name, func(t *testing.T) {
			var ran atomic.Bool
			write := fakeTool{name: "write_file", call: func(context.Context, json.RawMessage) tools.Result {
				ran.Store(true)
				return tools.Result{Text: "x"}
			}}
			h := start(t, state(t), box(write), first, say("sorry"))
			h.send("write")
			if f := wait[event.TurnFinished](h); f.Response != "sorry" || ran.Load() {
				t.Errorf("%+v, ran %v", f, ran.Load())
			}
			last := h.model.calls()[1].Messages
			if r := last[len(last)-1]; !r.IsError || !strings.HasPrefix(r.Content, "Error: Not run") {
				t.Errorf("the model is told %+v", r)
			}
		})
	}
}

func TestReadsRunConcurrentlyWritesInOrder(t *testing.T) {
	var mu sync.Mutex
	var order []string
	both := make(chan struct{})
	var waiting atomic.Int32
	read := fakeTool{"read_file", true, func(ctx context.Context, _ json.RawMessage) tools.Result {
		if waiting.Add(1) == 2 {
			close(both)
		}
		select {
		case <-both: // only when two run at once
			return tools.Result{Text: "read"}
		case <-ctx.Done():
			return tools.Result{Text: "Error: alone", IsError: true}
		}
	}}
	write := fakeTool{"write_file", false, func(_ context.Context, args json.RawMessage) tools.Result {
		mu.Lock()
		defer mu.Unlock()
		order = append(order, string(args))
		return tools.Result{Text: "wrote " + string(args)}
	}}
	h := start(t, state(t), box(read, write),
		use("read_file", `{}`, "read_file", `{}`, "write_file", `{"n":1}`, "write_file", `{"n":2}`), say("ok"))
	h.send("go")
	wait[event.TurnFinished](h)
	if !slices.Equal(order, []string{`{"n":1}`, `{"n":2}`}) {
		t.Errorf("writes ran as %v", order)
	}
	last := h.model.calls()[1].Messages
	for i, want := range []string{"read", "read", `wrote {"n":1}`, `wrote {"n":2}`} {
		if got := last[len(last)-4+i].Content; got != want {
			t.Errorf("result %d is %q, want %q", i, got, want)
		}
	}
}

func TestCallsBeyondTheLimitAreNotRun(t *testing.T) {
	var ran atomic.Int32
	write := fakeTool{name: "write_file", call: func(context.Context, json.RawMessage) tools.Result {
		return tools.Result{Text: fmt.Sprint("written ", ran.Add(1))}
	}}
	var calls []string
	for range llm.MaxToolCalls + 8 {
		calls = append(calls, "write_file", `{}`)
	}
	h := start(t, state(t), box(write), use(calls...), say("ok"))
	h.send("go")
	wait[event.TurnFinished](h)
	if ran.Load() != llm.MaxToolCalls {
		t.Errorf("%d ran", ran.Load())
	}
	for _, m := range h.model.calls()[1].Messages {
		if m.IsError && strings.Contains(m.Content, "round in circles") {
			t.Errorf("calls that were not run count as failures: %q", m.Content)
		}
	}
}

// TestQuitMidTurn: what was being worked on is offered at the next start, with what it did.
func TestQuitMidTurn(t *testing.T) {
	root := state(t)
	h := start(t, root, box(tool("write_file", false, "Created.")), use("write_file", `{}`), hang)
	m := h.send("long job")
	h.until(func(e event.Event) bool { _, ok := e.(event.TextDelta); return ok })
	h.stop()

	next := start(t, root, box(), say("resumed"))
	pending, warnings, err := next.Recover()
	if err != nil || len(warnings) > 0 || len(pending) != 1 || pending[0].ID != m.ID || !pending[0].ToolsRan {
		t.Fatalf("recovered %+v, %v, %v", pending, warnings, err)
	}
	if err := next.Retry(m.ID); err != nil {
		t.Fatal(err)
	}
	wait[event.TurnFinished](next)
	sent := next.model.calls()[0].Messages
	if got := sent[len(sent)-1].Prompt(); !strings.Contains(got, "An earlier attempt at this request ended early") {
		t.Errorf("sent: %q", got)
	}
}

func TestRecoverSkipsRunningAndCrashingMessages(t *testing.T) {
	root := state(t)
	living := start(t, root, box(), hang)
	living.send("mine")
	wait[event.TurnStarted](living)
	b := inbox.Open(root)
	for _, e := range []inbox.Entry{
		{Inbound: event.Inbound{ID: "lost", Text: "lost", Time: time.Now()}, Owner: "1-dead"},
		{Inbound: event.Inbound{ID: "deadly", Text: "deadly", Time: time.Now()}, Owner: "1-dead", Attempts: 3, Deaths: 3},
	} {
		if err := b.Save(e); err != nil {
			t.Fatal(err)
		}
	}
	if err := root.WriteFile("inbox/broken.json", []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	other := start(t, root, box(), say("x"))
	pending, warnings, err := other.Recover()
	if err != nil || len(pending) != 1 || pending[0].ID != "lost" || len(warnings) != 2 {
		t.Errorf("recovered %+v, %v, %v", pending, warnings, err)
	}
	if aside, err := fs.Glob(root.FS(), "inbox/deadly.json.corrupt-*"); err != nil || len(aside) != 1 {
		t.Error(err)
	}
}

// TestStopDuringToolCalls checks that a turn can be stopped while the model still streams its tool calls.
func TestStopDuringToolCalls(t *testing.T) {
	h := start(t, state(t), box(), say("fine"))
	waits, late := make(chan struct{}), true
	h.opt.Ready = func(ctx context.Context) {
		if late {
			late = false
			close(waits)
			<-ctx.Done()
		}
	}
	h.send("first")
	<-waits
	h.Stop()
	wait[event.TurnStopped](h)
	h.send("second")
	if f := wait[event.TurnFinished](h); f.Response != "fine" {
		t.Errorf("%+v", f)
	}
}

func TestPanicFailsOnlyItsTurn(t *testing.T) {
	h := start(t, state(t), box(), func(context.Context, llm.Request, func(llm.Chunk, error) bool) { panic("boom") }, say("alive"))
	h.send("one")
	if f := wait[event.TurnFailed](h); !strings.Contains(f.Text, "boom") {
		t.Errorf("%+v", f)
	}
	h.send("two")
	if f := wait[event.TurnFinished](h); f.Response != "alive" {
		t.Errorf("%+v", f)
	}
}

func TestUnwritableInboxRefusesTheMessage(t *testing.T) {
	root := state(t)
	h := start(t, root, box(), say("x"))
	if err := root.WriteFile("inbox", nil, 0o600); err != nil { // a file where the folder should be
		t.Fatal(err)
	}
	if _, err := h.Submit(context.Background(), event.Inbound{Text: "x"}); err == nil || !strings.Contains(err.Error(), "was not sent") {
		t.Errorf("error %v", err)
	}
}

func TestIdleConversationEndsBeforeTheTurn(t *testing.T) {
	root := state(t)
	m := conversation.NewManager(root, conversation.Options{IdleTimeout: time.Minute})
	old := time.Now().Add(-2 * time.Minute)
	c, _, err := m.Begin("", old)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Append(c.ID, conversation.Turn{ID: "old", Started: old, Ended: old, Messages: []conversation.Message{{Role: conversation.RoleUser, Content: "stale"}}}); err != nil {
		t.Fatal(err)
	}
	model := &fakeModel{t: t, replies: []reply{say("fresh")}}
	p, err := New(Options{Root: root, Vault: root, Agreed: agreeAll, Agent: Agent{Provider: model}, Tools: box(), Conversations: conversation.NewManager(root, conversation.Options{IdleTimeout: time.Minute})})
	if err != nil {
		t.Fatal(err)
	}
	h := &harness{Processor: p, t: t, root: root, model: model, sub: p.Subscribe()}
	defer h.stop()
	h.send("new")
	if f := wait[event.TurnFinished](h); f.ConversationID == c.ID {
		t.Error("the stale conversation goes on")
	}
	for _, m := range model.calls()[0].Messages {
		if strings.Contains(m.Content, "stale") {
			t.Error("the stale conversation leaks into the prompt")
		}
	}
}

func TestStateFilesArePrivate(t *testing.T) {
	root := state(t)
	h := start(t, root, box(), hang)
	h.send("x")
	wait[event.TurnStarted](h)
	for _, name := range []string{"inbox", "run"} {
		i, err := root.Stat(name)
		if err != nil || i.Mode().Perm() != 0o700 {
			t.Errorf("%s: %v %v", name, i.Mode(), err)
		}
	}
	entries, err := os.ReadDir(root.Name() + "/inbox")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if i, err := e.Info(); err != nil || i.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v", e.Name(), err)
		}
	}
}
