package agent

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"chatvault/agent/event"
	"chatvault/agent/inbox"
	"chatvault/agent/llm"
	"chatvault/conversation"
	"chatvault/tools"
)

// TestDeliveredAgain: a message of a known id is not handled twice, and what is known of its
// first attempt is not overwritten.
func TestDeliveredAgain(t *testing.T) {
	root := state(t)
	before := entry("m1", 1)
	before.Attempts, before.ToolsRan, before.LastTried, before.Changes = 1, true, before.Time, []string{"created a.md"}
	saved(t, inbox.Open(root), before)
	h := start(t, root, box(), say("answer"))
	again := event.Inbound{ID: "m1", Text: "text of m1", Source: event.SourceWebSocket}
	if _, err := h.Submit(context.Background(), again); err != nil {
		t.Fatal(err)
	}
	if e, err := inbox.Open(root).Load("m1"); err != nil || !e.ToolsRan || e.Owner != "1-dead" {
		t.Errorf("its entry is now %+v, %v", e, err)
	}
	h.send("another")
	wait[event.TurnFinished](h)
	if n := len(h.model.calls()); n != 1 {
		t.Errorf("%d model calls; the message delivered again was handled without asking", n)
	}

	routed := event.Inbound{ID: "m2", Text: "routed", Source: event.SourceWebSocket}
	for range 2 { // the second time after it was answered
		if _, err := h.Submit(context.Background(), routed); err != nil {
			t.Fatal(err)
		}
		if f := wait[event.TurnFinished](h); !f.Success || f.MessageID != "m2" {
			t.Errorf("%+v", f)
		}
	}
	if n := len(h.model.calls()); n != 2 {
		t.Errorf("%d model calls", n)
	}
	if ids := h.inboxIDs(); !slices.Equal(ids, []string{"m1"}) {
		t.Errorf("inbox: %v", ids)
	}
}

func TestOneIDAtOnce(t *testing.T) {
	h := start(t, state(t), box(), say("answer"))
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if _, err := h.Submit(context.Background(), event.Inbound{ID: "same", Text: "x", Source: event.SourceWebSocket}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	h.send("last")
	h.until(func(e event.Event) bool { f, ok := e.(event.TurnFinished); return ok && f.MessageID != "same" })
	if n := len(h.model.calls()); n != 2 {
		t.Errorf("%d model calls for two messages", n)
	}
}

// TestAnsweredBeforeTheConversationEnded: the process was killed between record and clean-up,
// and the conversation has ended since.
func TestAnsweredBeforeTheConversationEnded(t *testing.T) {
	root := state(t)
	m := conversation.NewManager(root, conversation.Options{})
	done := entry("done", 1)
	done.Attempts, done.Deaths, done.LastTried = 1, 1, done.Time
	c, _, err := m.Begin("", done.Time)
	if err != nil {
		t.Fatal(err)
	}
	err = errors.Join(
		m.Append(c.ID, conversation.Turn{ID: "done", Started: done.Time, Ended: done.Time.Add(time.Second), Messages: []conversation.Message{{ID: "done", Role: conversation.RoleUser, Content: "x"}}}),
		inbox.Open(root).Save(done),
	)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.End(done.Time.Add(time.Minute), "new"); err != nil {
		t.Fatal(err)
	}

	h := start(t, root, box(), say("again"))
	if err := h.Retry("done"); err != nil { // without Recover, as `inbox retry` does
		t.Fatal(err)
	}
	if f := wait[event.TurnFinished](h); !f.Success || len(h.model.calls()) != 0 {
		t.Errorf("%+v after %d model calls", f, len(h.model.calls()))
	}
	saved(t, inbox.Open(root), done)
	pending, warnings, err := h.Recover()
	if err != nil || len(pending)+len(warnings) > 0 || len(h.inboxIDs()) > 0 {
		t.Errorf("recovered %v, %v, %v; inbox %v", pending, warnings, err, h.inboxIDs())
	}
}

// TestFailuresAreNoCrashes: only a message whose turns ended with the process is set aside.
func TestFailuresAreNoCrashes(t *testing.T) {
	root := state(t)
	refused := llm.Error{Kind: llm.KindAuth}
	h := start(t, root, box(), failWith(refused), failWith(refused), failWith(refused), hang)
	m := h.send("keep me")
	wait[event.TurnFailed](h)
	for range 2 {
		if err := h.Retry(m.ID); err != nil {
			t.Fatal(err)
		}
		wait[event.TurnFailed](h)
	}
	e, err := inbox.Open(root).Load(m.ID)
	if err != nil || e.Attempts != 3 || e.Deaths != 0 {
		t.Fatalf("%+v, %v", e, err)
	}
	e.Owner, e.Attempts, e.Deaths, e.LastError = "1-dead", 4, 1, "" // a fourth one is killed
	saved(t, inbox.Open(root), e)
	other := start(t, root, box(), say("x"))
	if pending, warnings, err := other.Recover(); err != nil || len(pending) != 1 || len(warnings) != 0 {
		t.Errorf("recovered %+v, %v, %v", pending, warnings, err)
	}
}

// TestTwoStops: the next turn is told of both, with what each had done.
func TestTwoStops(t *testing.T) {
	var changes atomic.Value
	changes.Store([]string{"created a.md"})
	with := func(m tools.Messenger) Toolbox {
		b, _ := box(tool("write_file", false, "Created."))(m).(fakeBox)
		b.changes = func() []string { c, _ := changes.Load().([]string); return c }
		return b
	}
	h := start(t, state(t), with, use("write_file", `{}`), hang, hang, say("ok"))
	h.send("first")
	h.until(func(e event.Event) bool { _, ok := e.(event.TextDelta); return ok })
	h.Stop()
	if s := wait[event.TurnStopped](h); !slices.Equal(s.Changed, []string{"created a.md"}) {
		t.Errorf("%+v", s)
	}
	changes.Store([]string(nil))
	h.send("second")
	h.until(func(e event.Event) bool { _, ok := e.(event.TextDelta); return ok })
	h.Stop()
	wait[event.TurnStopped](h)
	h.send("third")
	wait[event.TurnFinished](h)
	calls := h.model.calls()
	last := calls[len(calls)-1].Messages
	got := last[len(last)-1].Prompt()
	for _, want := range []string{"an earlier request (“first”). It had already done this: created a.md.", "the previous request (“second”). It had changed nothing."} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in %q", want, got)
		}
	}
}

func TestPanics(t *testing.T) {
	bad := fakeTool{name: "read_file", readOnly: true, call: func(context.Context, json.RawMessage) tools.Result { panic("tool") }}
	root := state(t)
	model := &fakeModel{t: t, replies: []reply{use("read_file", `{}`, "read_file", `{}`), say("went on")}}
	p, err := New(Options{
		Root: root, Vault: root, Agreed: agreeAll, Agent: Agent{Provider: model}, Tools: box(bad), Conversations: conversation.NewManager(root, conversation.Options{}),
		Notify: func(event.Inbound, event.Event) { panic("source") },
	})
	if err != nil {
		t.Fatal(err)
	}
	h := &harness{Processor: p, t: t, root: root, model: model, sub: p.Subscribe()}
	defer h.stop()
	h.send("x")
	if f := wait[event.TurnFinished](h); f.Response != "went on" {
		t.Errorf("%+v", f)
	}
	sent := model.calls()[1].Messages
	if last := sent[len(sent)-1]; !last.IsError || !strings.Contains(last.Content, "tool") {
		t.Errorf("the model is told %+v", last)
	}
	if ids := h.inboxIDs(); len(ids) > 0 || len(h.turns()) != 1 {
		t.Errorf("inbox %v, %d turns", ids, len(h.turns()))
	}
}

// TestPanicKeepsWhatWasDone: the failed turn is recorded with the tools that ran before.
func TestPanicKeepsWhatWasDone(t *testing.T) {
	h := start(t, state(t), box(tool("write_file", false, "Created.")), use("write_file", `{}`),
		func(context.Context, llm.Request, func(llm.Chunk, error) bool) { panic("boom") }, say("alive"))
	h.send("one")
	wait[event.TurnFailed](h)
	if turns := h.turns(); len(turns) != 1 || !turns[0].Failed || len(turns[0].Messages) != 3 {
		t.Errorf("recorded %+v", turns)
	}
	h.send("two") // the history is valid
	wait[event.TurnFinished](h)
}

// TestNothingRunsOfAFilteredResponse, and the model is not asked again.
func TestNothingRunsOfAFilteredResponse(t *testing.T) {
	var ran atomic.Bool
	write := fakeTool{name: "write_file", call: func(context.Context, json.RawMessage) tools.Result {
		ran.Store(true)
		return tools.Result{Text: "x"}
	}}
	h := start(t, state(t), box(write), useWith(llm.FinishContentFilter, "write_file", `{}`), say("\n \n"), say("sorry"))
	h.send("write")
	if f := wait[event.TurnFinished](h); f.StopReason != event.StopRefused || ran.Load() || len(h.model.calls()) != 1 {
		t.Errorf("%+v, ran %v, %d calls", f, ran.Load(), len(h.model.calls()))
	}
	h.send("again")
	wait[event.TurnFinished](h)
}

// TestOddNamesDoNotPoisonTheHistory: a tool call no endpoint accepts is answered with an error,
// and the turns that follow are sent a history that is accepted.
func TestOddNamesDoNotPoisonTheHistory(t *testing.T) {
	h := start(t, state(t), box(), use("", `{}`, "functions.read file", `{`), say("one"), say("two"))
	h.send("x")
	wait[event.TurnFinished](h)
	h.send("y")
	wait[event.TurnFinished](h)
}

// TestNoMessageWithoutItsConversation: what belongs to a conversation that cannot be read is not accepted.
func TestNoMessageWithoutItsConversation(t *testing.T) {
	root := state(t)
	h := start(t, root, box(), say("answer"))
	m := h.send("one")
	wait[event.TurnFinished](h)
	folder := filepath.Join(root.Name(), "conversations")
	if err := errors.Join(os.Rename(folder, folder+"-away"), os.WriteFile(folder, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Submit(t.Context(), event.Inbound{Text: "two"}); err == nil || !strings.Contains(err.Error(), "the conversation could not be opened") {
		t.Errorf("%v", err)
	}
	if err := errors.Join(os.Remove(folder), os.Rename(folder+"-away", folder)); err != nil {
		t.Fatal(err)
	}
	if ids := h.inboxIDs(); len(ids) != 0 {
		t.Errorf("inbox: %v", ids)
	}
	two := h.send("two")
	wait[event.TurnFinished](h)
	if turns := h.turns(); len(turns) != 2 || turns[0].ID != m.ID || turns[1].ID != two.ID {
		t.Errorf("recorded %+v", turns)
	}
}

// TestAnswerThatCannotBeRecorded: the disk fails while the model answers.
func TestAnswerThatCannotBeRecorded(t *testing.T) {
	root := state(t)
	folder := filepath.Join(root.Name(), "conversations")
	breaks := func(ctx context.Context, req llm.Request, yield func(llm.Chunk, error) bool) {
		if err := os.WriteFile(folder, nil, 0o600); err != nil {
			t.Error(err)
		}
		say("an answer")(ctx, req, yield)
	}
	h := start(t, root, box(), breaks, say("again"))
	m := h.send("one")
	if f := wait[event.TurnFinished](h); f.Response != "an answer" || !slices.Contains(kinds(h.seen), "Notice") {
		t.Errorf("%+v, %v", f, kinds(h.seen))
	}
	e, err := inbox.Open(root).Load(m.ID)
	if err != nil || !strings.Contains(e.LastError, "could not be recorded") {
		t.Errorf("kept as %+v, %v", e, err)
	}
}

// TestNewConversationIsNotForgotten when the old one cannot be ended at once.
func TestNewConversationIsNotForgotten(t *testing.T) {
	root := state(t)
	h := start(t, root, box(), say("answer"))
	h.send("one")
	first := wait[event.TurnFinished](h)
	h.NewConversation()
	folder := filepath.Join(root.Name(), "conversations")
	if err := errors.Join(os.Rename(folder, folder+"-away"), os.WriteFile(folder, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	m := h.send("two")
	wait[event.TurnFailed](h)
	if err := errors.Join(os.Remove(folder), os.Rename(folder+"-away", folder), h.Retry(m.ID)); err != nil {
		t.Fatal(err)
	}
	if f := wait[event.TurnFinished](h); f.ConversationID == first.ConversationID {
		t.Error("the old conversation goes on")
	}
}

func TestHugeMessage(t *testing.T) {
	h := start(t, state(t), box(), say("read"))
	big := strings.Repeat("ä", maxMessageBytes/2)
	h.send(big)
	wait[event.TurnFinished](h)
	calls := h.model.calls()
	if got := calls[0].Messages; got[len(got)-1].Content != big {
		t.Error("it did not arrive whole")
	}
	if _, err := h.Submit(context.Background(), event.Inbound{Text: big + "x"}); err == nil || !strings.Contains(err.Error(), "too long") {
		t.Errorf("error %v", err)
	}
	if turns := h.turns(); len(turns) != 1 {
		t.Errorf("%d turns", len(turns))
	}
}

func TestCloseTwiceAndSubmitAfter(t *testing.T) {
	h := start(t, state(t), box(), say("x"))
	for range 2 {
		if err := h.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}
	if _, err := h.Submit(context.Background(), event.Inbound{Text: "late"}); err == nil || !strings.Contains(err.Error(), "was not sent") {
		t.Errorf("error %v", err)
	}
	if ids := h.inboxIDs(); len(ids) > 0 {
		t.Errorf("refused and kept: %v", ids)
	}
}
