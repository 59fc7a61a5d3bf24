package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf8"

	"chatvault/agent/event"
	"chatvault/agent/llm"
	"chatvault/agent/spend"
	"chatvault/conversation"
	"chatvault/internal/base/routine"
	"chatvault/tools"
)

// delegating is box with a tool delegate, where there is somebody to delegate to.
func delegating(list ...fakeTool) func(tools.Messenger) Toolbox {
	return func(m tools.Messenger) Toolbox {
		b, _ := box(list...)(m).(fakeBox)
		if d, ok := m.(tools.Delegator); ok {
			b.list = append(b.list, fakeTool{"delegate", true, func(ctx context.Context, args json.RawMessage) tools.Result {
				var a struct{ Task string }
				if err := json.Unmarshal(args, &a); err != nil {
					return tools.Result{Text: "Error: " + err.Error(), IsError: true}
				}
				text, err := d.Delegate(ctx, a.Task)
				if err != nil {
					return tools.Result{Text: "Error: " + err.Error(), IsError: true}
				}
				return tools.Result{Text: text}
			}})
		}
		return b
	}
}

// parts are a model that answers a turn and its sub-agents differently, by what a sub-agent is
// to do.
type parts struct {
	t    *testing.T
	name string
	turn *fakeModel
	sub  func(task string, step int) reply // step: responses there were before, 0, 1…

	mu    sync.Mutex
	tasks []llm.Request
}

func (p *parts) Name() string { return p.name }

func (p *parts) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
	if req.Purpose != llm.PurposeDelegate {
		return p.turn.Stream(ctx, req)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	checkHistory(p.t, req.Messages)
	p.tasks = append(p.tasks, req)
	step := 0
	for _, m := range req.Messages {
		if m.Role == llm.RoleAssistant {
			step++
		}
	}
	r := p.sub(req.Messages[1].Content, step)
	return func(yield func(llm.Chunk, error) bool) { r(ctx, req, yield) }
}

// delegated is a harness whose turn delegates tasks in one response and answers "done".
func delegated(t *testing.T, b func(tools.Messenger) Toolbox, sub func(task string, step int) reply, tasks ...string) (*harness, *parts) {
	t.Helper()
	h := start(t, state(t), b)
	var calls []string
	for _, task := range tasks {
		calls = append(calls, "delegate", fmt.Sprintf(`{"task":%q}`, task))
	}
	h.model.replies = []reply{use(calls...), say("done")}
	p := &parts{t: t, name: "fake", turn: h.model, sub: sub}
	h.SetProvider(p)
	return h, p
}

// results are what the calls of the turn's first response gave.
func results(h *harness) (texts []string) {
	for _, m := range h.model.calls()[1].Messages {
		if m.Role == llm.RoleTool {
			texts = append(texts, m.Content)
		}
	}
	return texts
}

// withUsage reports usage with a reply.
func withUsage(u llm.Usage, r reply) reply {
	return func(ctx context.Context, req llm.Request, yield func(llm.Chunk, error) bool) {
		if yield(llm.Chunk{Usage: &u}, nil) {
			r(ctx, req, yield)
		}
	}
}

// TestDelegation: sub-agents work at once, as other reads do, each on its task alone and with read-only tools; reports come back in the order of the calls, and what they used
// counts in the turn.
func TestDelegation(t *testing.T) {
	var mu sync.Mutex
	working, most := 0, 0
	all := make(chan struct{})
	read := fakeTool{"read_file", true, func(ctx context.Context, _ json.RawMessage) tools.Result {
		mu.Lock()
		working++
		if most = max(most, working); working == maxParallel && most == maxParallel {
			select {
			case <-all:
			default:
				close(all)
			}
		}
		mu.Unlock()
		select {
		case <-all: // only when all work at once
		case <-ctx.Done():
		}
		time.Sleep(5 * time.Millisecond)
		mu.Lock()
		working--
		mu.Unlock()
		return tools.Result{Text: "1: text"}
	}}
	usage := llm.Usage{PromptTokens: 100, CompletionTokens: 10}
	h, p := delegated(t, delegating(read, tool("write_file", false, "Created.")), func(task string, step int) reply {
		if step == 0 {
			return withUsage(usage, use("read_file", `{}`))
		}
		return withUsage(usage, say("Report on "+task+"."))
	}, "a", "b", "c", "d")
	h.model.replies[0] = withUsage(usage, h.model.replies[0])
	h.model.replies[1] = withUsage(usage, h.model.replies[1])
	h.send("what is in all notes?")
	if f := wait[event.TurnFinished](h); f.Response != "done" || !slices.Equal(f.ToolsUsed, []string{"delegate"}) {
		t.Errorf("%+v", f)
	}
	if most != maxParallel {
		t.Errorf("%d worked at once", most)
	}
	if got := results(h); !slices.Equal(got, []string{"Report on a.", "Report on b.", "Report on c.", "Report on d."}) {
		t.Errorf("reports %q", got)
	}
	for _, req := range p.tasks {
		if req.Messages[0].Role != llm.RoleSystem || !strings.Contains(req.Messages[0].Content, "You are a sub-agent") || strings.Contains(req.Messages[0].Content, "write_file") {
			t.Errorf("system prompt %q", req.Messages[0].Content)
		}
		if len(req.Tools) != 1 || req.Tools[0].Name != "read_file" {
			t.Errorf("tools %v", req.Tools)
		}
		for _, m := range req.Messages {
			if strings.Contains(m.Content, "all notes") {
				t.Error("a sub-agent is sent the conversation")
			}
		}
	}
	steps, last := map[string][]string{}, event.Totals{}
	for _, e := range h.seen {
		switch e := e.(type) {
		case event.Nested:
			if e.TurnID != e.Event.Header().TurnID || e.CallID == "" {
				t.Errorf("nested %+v", e)
			}
			steps[e.CallID] = append(steps[e.CallID], kinds([]event.Event{e.Event})...)
			if u, ok := e.Event.(event.UsageReported); ok {
				last = u.Turn
			}
		case event.ToolFinished:
			if e.Name == "delegate" && e.IsError {
				t.Errorf("%+v", e)
			}
		case event.UsageReported:
			last = e.Turn
		}
	}
	want := []string{
		"StateChanged:thinking", "UsageReported", "StateChanged:acting", "ToolStarted", "ToolFinished", "StateChanged:observing",
		"StateChanged:thinking", "UsageReported", "StateChanged:completed",
	}
	for _, id := range []string{"call_0", "call_1", "call_2", "call_3"} {
		if !slices.Equal(steps[id], want) {
			t.Errorf("%s showed %v", id, steps[id])
		}
	}
	if last.Calls != 10 || last.Prompt != 1000 || last.Completion != 100 {
		t.Errorf("the turn used %+v", last)
	}
	if turns := h.turns(); len(turns) != 1 || len(turns[0].Messages) != 7 { // user, call, four results, answer
		t.Errorf("recorded %+v", turns)
	}
}

// TestSubagentsOnlyRead: what a sub-agent may not do is answered with an error it can read.
func TestSubagentsOnlyRead(t *testing.T) {
	var wrote atomic.Bool
	write := fakeTool{"write_file", false, func(context.Context, json.RawMessage) tools.Result {
		wrote.Store(true)
		return tools.Result{Text: "Created."}
	}}
	h, p := delegated(t, delegating(tool("read_file", true, "1: text"), write), func(_ string, step int) reply {
		if step == 0 {
			return use("write_file", `{}`, sendMessage, `{"message":"hello"}`, "delegate", `{"task":"more"}`, "read_file", `{}`)
		}
		return say("report")
	}, "try all")
	h.send("go")
	wait[event.TurnFinished](h)
	var got []string
	for _, m := range p.tasks[1].Messages {
		if m.Role == llm.RoleTool {
			got = append(got, m.Content)
		}
	}
	if wrote.Load() || len(got) != 4 || !strings.Contains(got[0], "only reads") || !strings.HasPrefix(got[1], "Error: ") || !strings.HasPrefix(got[2], "Error: ") || got[3] != "1: text" {
		t.Errorf("wrote %v, results %q", wrote.Load(), got)
	}
	if slices.Contains(kinds(h.seen), "AgentMessage") {
		t.Error("a sub-agent spoke to the user")
	}
}

// TestStopReachesSubagents, at once, in a model call and in a tool.
func TestStopReachesSubagents(t *testing.T) {
	var inside atomic.Int32
	read := fakeTool{"read_file", true, func(ctx context.Context, _ json.RawMessage) tools.Result {
		inside.Add(1)
		<-ctx.Done()
		return tools.Result{Text: "Error: stopped", IsError: true}
	}}
	h, _ := delegated(t, delegating(read), func(task string, _ int) reply {
		if task == "reads" {
			return use("read_file", `{}`)
		}
		return func(ctx context.Context, req llm.Request, yield func(llm.Chunk, error) bool) {
			inside.Add(1)
			hang(ctx, req, yield)
		}
	}, "reads", "thinks", "thinks too")
	h.send("go")
	for deadline := time.Now().Add(20 * time.Second); inside.Load() < 3; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("they do not work at once")
		}
	}
	began := time.Now()
	h.Stop()
	wait[event.TurnStopped](h)
	if d := time.Since(began); d > 3*time.Second {
		t.Errorf("stopped after %v", d)
	}
	if inside.Load() != 3 || len(h.turns()) != 0 || len(h.inboxIDs()) != 0 {
		t.Errorf("%d began, turns %v, inbox %v", inside.Load(), h.turns(), h.inboxIDs())
	}
}

// TestNoSubagentStartsAfterStop calls one in a turn that was stopped.
func TestNoSubagentStartsAfterStop(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	stop()
	model := &fakeModel{t: t, replies: []reply{say("Here.")}}
	m := messenger{newRun(Agent{Provider: model}, Task{Tools: box()})}
	if _, err := m.Delegate(ctx, "look"); err == nil || len(model.calls()) > 0 {
		t.Fatal("one began after the stop")
	}
}

// TestSubagentsThatFail give the parent an error or as much as there is; the turn goes on.
func TestSubagentsThatFail(t *testing.T) {
	n := atomic.Int32{}
	read := fakeTool{"read_file", true, func(_ context.Context, args json.RawMessage) tools.Result {
		if strings.Contains(string(args), "same") {
			return tools.Result{Text: "same"}
		}
		return tools.Result{Text: fmt.Sprint("text ", n.Add(1))}
	}}
	look := func(text, args string) reply {
		return func(ctx context.Context, req llm.Request, yield func(llm.Chunk, error) bool) {
			if req.NoCalls {
				say("This far. ")(ctx, req, yield)
				return
			}
			if text == "" || yield(llm.Chunk{Text: text}, nil) {
				use("read_file", args)(ctx, req, yield)
			}
		}
	}
	for _, c := range []struct {
		name   string
		sub    func(task string, step int) reply
		change func(*harness)
		want   string
		isErr  bool
	}{
		{"refused", func(string, int) reply {
			return failWith(llm.Error{Kind: llm.KindAuth, Status: 401, Message: "bad key"})
		}, nil, "Error: the sub-agent ended without a report: it failed: API key is missing or invalid…bad key", true},
		{"fails half-way", func(_ string, step int) reply {
			if step == 0 {
				return look("Alpha is in a.md.", `{}`)
			}
			return failWith(llm.Error{Kind: llm.KindInvalidRequest})
		}, nil, "Alpha is in a.md.\n\n[The sub-agent ended early: it failed: …The report may be incomplete.]", false},
		{"panics", func(string, int) reply {
			return func(context.Context, llm.Request, func(llm.Chunk, error) bool) { panic("boom") }
		}, nil, "Error: the sub-agent ended without a report: it failed: internal error: boom…", true},
		{"its limit", func(string, int) reply { return look("", `{}`) }, nil, "This far.\n\n[The sub-agent ended early: tool_limit. The report may be incomplete.]", false},
		{"goes round", func(string, int) reply { return look("", `{"same":1}`) }, nil, "This far.\n\n[The sub-agent ended early: loop. …", false},
		{"says nothing", func(string, int) reply { return say("") }, nil, "Error: the sub-agent ended without a report: no_progress", true},
		{"is cut off", func(string, int) reply {
			return func(_ context.Context, _ llm.Request, yield func(llm.Chunk, error) bool) {
				if yield(llm.Chunk{Text: "Half a"}, nil) {
					yield(llm.Chunk{Finish: llm.FinishLength}, nil)
				}
			}
		}, nil, "Half a\n\n[The sub-agent ended early: length. The report may be incomplete.]", false},
		{
			"its budget", func(string, int) reply {
				return withUsage(llm.Usage{PromptTokens: 90, CompletionTokens: 20}, look("Alpha is in a.md.", `{}`))
			}, func(h *harness) {
				h.opt.Budget = spend.Budget{Tokens: 1000}
				h.model.replies[0] = withUsage(llm.Usage{PromptTokens: 80, CompletionTokens: 20}, h.model.replies[0])
			},
			strings.Repeat("Alpha is in a.md.\n\n", 6) + "[The sub-agent ended early: budget. …", false,
		},
		{"speaks on and on", func(string, int) reply { return say("ä" + varied(maxReport+4)) }, nil, "ä…5 characters left out", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			h, _ := delegated(t, delegating(read), c.sub, "find it")
			h.opt.MaxRounds = 20
			if c.change != nil {
				c.change(h)
			}
			h.send("go")
			if f := wait[event.TurnFinished](h); f.Response != "done" || f.StopReason != event.StopCompleted {
				t.Errorf("%+v", f)
			}
			got := results(h)
			head, tail, _ := strings.Cut(c.want, "…")
			if len(got) != 1 || !strings.HasPrefix(got[0], head) || !strings.HasSuffix(got[0], strings.TrimSuffix(tail, "…")) && !strings.Contains(got[0], tail) {
				t.Errorf("report %q", got)
			}
			if strings.HasPrefix(got[0], "Error: ") != c.isErr || utf8.RuneCountInString(got[0]) > maxReport+100 {
				t.Errorf("a report of %d characters: %.100q", utf8.RuneCountInString(got[0]), got[0])
			}
		})
	}
}

// TestDelegationBesideReads: sub-agents and reads of the turn run together, writes after them.
func TestDelegationBesideReads(t *testing.T) {
	both := make(chan struct{}, 2)
	meet := func(ctx context.Context) {
		both <- struct{}{}
		for len(both) < 2 {
			if !routine.Sleep(ctx, time.Millisecond) {
				return
			}
		}
	}
	read := fakeTool{"read_file", true, func(ctx context.Context, _ json.RawMessage) tools.Result {
		meet(ctx)
		return tools.Result{Text: "read"}
	}}
	h, _ := delegated(t, delegating(read, tool("write_file", false, "written")), func(string, int) reply {
		return func(ctx context.Context, req llm.Request, yield func(llm.Chunk, error) bool) {
			meet(ctx)
			say("report")(ctx, req, yield)
		}
	})
	h.model.replies[0] = use("read_file", `{}`, "delegate", `{"task":"x"}`, "write_file", `{}`)
	h.send("go")
	wait[event.TurnFinished](h)
	if got := results(h); !slices.Equal(got, []string{"read", "report", "written"}) {
		t.Errorf("%q", got)
	}
}

func TestSubagentReportIsBounded(t *testing.T) {
	out := Outcome{Reason: event.StopToolLimit, Turn: conversation.Turn{Messages: []conversation.Message{{Role: conversation.RoleAssistant, Content: strings.Repeat("€", 3*maxReport)}}}}
	text, err := report(out, nil)
	if err != nil || utf8.RuneCountInString(text) > maxReport+300 || !utf8.ValidString(text) || !strings.Contains(text, "40000 characters left out") {
		t.Errorf("%d characters, %v", utf8.RuneCountInString(text), err)
	}
}
