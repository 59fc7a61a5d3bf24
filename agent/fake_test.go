package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"chatvault/agent/event"
	"chatvault/agent/inbox"
	"chatvault/agent/llm"
	"chatvault/agent/prompts"
	"chatvault/conversation"
	"chatvault/internal/base/statefile/statetest"
	"chatvault/internal/llmtest/historytest"
	"chatvault/tools"
)

const (
	sendMessage     = "send_message"
	askUser         = "ask_user"
	taskList        = "task_list"
	endConversation = "end_conversation"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// reply is what the fake model does in one call.
type reply func(ctx context.Context, req llm.Request, yield func(llm.Chunk, error) bool)

// say streams text word by word and ends the response.
func say(text string) reply {
	return func(_ context.Context, _ llm.Request, yield func(llm.Chunk, error) bool) {
		for _, w := range strings.SplitAfter(text, " ") {
			if !yield(llm.Chunk{Text: w}, nil) {
				return
			}
		}
		yield(llm.Chunk{Finish: llm.FinishStop}, nil)
	}
}

// use streams tool calls, given as name, arguments, name, arguments…
func use(calls ...string) reply { return useWith(llm.FinishToolCalls, calls...) }

func useWith(finish llm.FinishReason, calls ...string) reply {
	return func(_ context.Context, _ llm.Request, yield func(llm.Chunk, error) bool) {
		for i := 0; i < len(calls); i += 2 {
			d := llm.ToolCallDelta{Index: i / 2, ID: "call_" + string(rune('0'+i/2)), Name: calls[i], Arguments: calls[i+1]}
			if !yield(llm.Chunk{ToolCall: &d}, nil) {
				return
			}
		}
		yield(llm.Chunk{Finish: finish}, nil)
	}
}

func failWith(e llm.Error) reply {
	return func(_ context.Context, _ llm.Request, yield func(llm.Chunk, error) bool) {
		if yield(llm.Chunk{Text: "half "}, nil) {
			yield(llm.Chunk{}, &e)
		}
	}
}

// hang streams a beginning and then nothing until it is cancelled.
func hang(ctx context.Context, _ llm.Request, yield func(llm.Chunk, error) bool) {
	if !yield(llm.Chunk{Text: "begun "}, nil) {
		return
	}
	<-ctx.Done()
	yield(llm.Chunk{}, &llm.Error{Kind: llm.KindAborted, Err: ctx.Err()})
}

// fakeModel answers each call with the next reply, the last one again and again, and checks
// that each history it is sent is valid.
type fakeModel struct {
	t  *testing.T
	mu sync.Mutex

	replies  []reply
	requests []llm.Request
}

func (f *fakeModel) Name() string { return "fake" }

func (f *fakeModel) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
	f.mu.Lock()
	checkHistory(f.t, req.Messages)
	f.requests = append(f.requests, req)
	r := f.replies[min(len(f.requests), len(f.replies))-1]
	f.mu.Unlock()
	return func(yield func(llm.Chunk, error) bool) { r(ctx, req, yield) }
}

func (f *fakeModel) calls() []llm.Request {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]llm.Request(nil), f.requests...)
}

// checkHistory fails the test where faults finds any.
func checkHistory(t *testing.T, messages []llm.Message) {
	t.Helper()
	for _, f := range historytest.Faults(messages) {
		t.Error(f)
	}
}

// fakeTool is a tool made of a function.
type fakeTool struct {
	name     string
	readOnly bool
	call     func(ctx context.Context, args json.RawMessage) tools.Result
}

func (f fakeTool) Name() string            { return f.name }
func (f fakeTool) Description() string     { return "does " + f.name }
func (f fakeTool) Schema() json.RawMessage { return json.RawMessage(`{"type":"object"}`) }
func (f fakeTool) ReadOnly() bool          { return f.readOnly }
func (f fakeTool) Call(ctx context.Context, args json.RawMessage) tools.Result {
	return f.call(ctx, args)
}

// noting makes a tool that changes something record its call right before it does.
func (f fakeTool) noting(m tools.Messenger) fakeTool {
	rec, ok := m.(tools.CallRecorder)
	if f.readOnly || !ok {
		return f
	}
	call := f.call
	f.call = func(ctx context.Context, args json.RawMessage) tools.Result {
		if err := rec.BeforeCall(ctx); err != nil {
			return tools.Result{Text: "Error: " + err.Error(), IsError: true}
		}
		return call(ctx, args)
	}
	return f
}

// fakeBox is a Toolbox of fake tools and send_message.
type fakeBox struct {
	list    []tools.Tool
	changes func() []string
}

func (b fakeBox) Tools() []tools.Tool { return b.list }

func (b fakeBox) Lookup(name string) (tools.Tool, bool) {
	for _, t := range b.list {
		if t.Name() == name {
			return t, true
		}
	}
	return nil, false
}

func (b fakeBox) Call(ctx context.Context, name string, args json.RawMessage) tools.Result {
	t, ok := b.Lookup(name)
	if !ok {
		return tools.Result{Text: "Error: there is no tool " + name, IsError: true}
	}
	return t.Call(ctx, args)
}

func (b fakeBox) Changes() []string {
	if b.changes == nil {
		return nil
	}
	return b.changes()
}

func box(list ...fakeTool) func(tools.Messenger) Toolbox {
	return func(m tools.Messenger) Toolbox {
		b := fakeBox{}
		for _, t := range list {
			b.list = append(b.list, t.noting(m))
		}
		b.list = append(b.list, fakeTool{name: sendMessage, call: func(ctx context.Context, args json.RawMessage) tools.Result {
			var a struct {
				Message    string `json:"message"`
				IsQuestion bool   `json:"is_question"`
			}
			if err := json.Unmarshal(args, &a); err != nil {
				return tools.Result{Text: "Error: " + err.Error(), IsError: true}
			}
			if err := m.SendMessage(ctx, a.Message, a.IsQuestion); err != nil {
				return tools.Result{Text: "Error: " + err.Error(), IsError: true}
			}
			return tools.Result{Text: "Message shown to the user."}
		}})
		return b
	}
}

// harness is a processor over a scratch state folder, a fake model and fake tools.
type harness struct {
	*Processor
	t     *testing.T
	root  *os.Root
	model *fakeModel
	sub   *event.Subscription

	seen    []event.Event // taken
	waiting []event.Event // not yet
}

func state(t *testing.T) *os.Root { return statetest.Root(t) }

func start(t *testing.T, root *os.Root, b func(tools.Messenger) Toolbox, replies ...reply) *harness {
	t.Helper()
	return startIn(t, root, conversation.NewManager(root, conversation.Options{IdleTimeout: 30 * time.Minute}), b, replies...)
}

// startIn starts one with the conversations of a manager.
func startIn(t *testing.T, root *os.Root, m *conversation.Manager, b func(tools.Messenger) Toolbox, replies ...reply) *harness {
	t.Helper()
	model := &fakeModel{t: t, replies: replies}
	p, err := New(Options{
		Root: root, Vault: root, Agreed: agreeAll, Tools: b,
		Conversations: m,
		Agent:         Agent{Provider: model, MaxRounds: 3, Retry: llm.RetryPolicy{time.Millisecond, time.Millisecond, time.Hour}},
		Vars: func(context.Context) prompts.Vars {
			return prompts.Vars{VaultName: "Test", Notes: 3, Folders: 1, Complete: true}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	h := &harness{Processor: p, t: t, root: root, model: model, sub: p.Subscribe()}
	t.Cleanup(h.stop)
	return h
}

func (h *harness) stop() {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	if err := h.Close(ctx); err != nil {
		h.t.Errorf("close: %v", err)
	}
}

func (h *harness) send(text string) event.Inbound {
	h.t.Helper()
	return h.submit(event.Inbound{Text: text})
}

// hold sends a message that goes into no running turn.
func (h *harness) hold(text string) event.Inbound {
	h.t.Helper()
	return h.submit(event.Inbound{Text: text, Hold: true})
}

func (h *harness) submit(m event.Inbound) event.Inbound {
	h.t.Helper()
	m, err := h.Submit(context.Background(), m)
	if err != nil {
		h.t.Fatal(err)
	}
	return m
}

// until takes events until one satisfies want, and returns it.
func (h *harness) until(want func(event.Event) bool) event.Event {
	h.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	for {
		for i, e := range h.waiting {
			h.seen = append(h.seen, e)
			if want(e) {
				h.waiting = h.waiting[i+1:]
				return e
			}
		}
		events, err := h.sub.Next(ctx)
		if err != nil {
			h.t.Fatalf("no such event (%v); seen: %v", err, kinds(h.seen))
		}
		h.waiting = events
	}
}

// wait takes events until one of type E comes.
func wait[E event.Event](h *harness) E {
	h.t.Helper()
	e, _ := h.until(func(e event.Event) bool { _, ok := e.(E); return ok }).(E)
	return e
}

func kinds(events []event.Event) []string {
	var out []string
	for _, e := range events {
		s := fmt.Sprintf("%T", e)
		if c, ok := e.(event.StateChanged); ok {
			s += ":" + string(c.State)
		}
		out = append(out, strings.TrimPrefix(s, "event."))
	}
	return out
}

func (h *harness) inboxIDs() []string {
	h.t.Helper()
	entries, warnings, err := inbox.Open(h.root).List()
	if err != nil || len(warnings) > 0 {
		h.t.Fatal(err, warnings)
	}
	var ids []string
	for _, e := range entries {
		ids = append(ids, e.ID)
	}
	return ids
}

func (h *harness) turns() []conversation.Turn {
	h.t.Helper()
	c, err := conversation.NewManager(h.root, conversation.Options{}).Active()
	if err != nil {
		h.t.Fatal(err)
	}
	if c == nil {
		return nil
	}
	return c.Turns
}

// agreeAll is an owner who agreed to whatever the vault brings.
func agreeAll(string, []byte) bool { return true }

func (b fakeBox) Exists(context.Context, string) bool { return false }
