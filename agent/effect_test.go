package agent

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"chatvault/agent/event"
	"chatvault/agent/inbox"
	"chatvault/agent/llm"
	"chatvault/tools"
)

// counter is a tool that changes something, and knows how often.
func counter(n *int) fakeTool {
	return fakeTool{name: "write", call: func(context.Context, json.RawMessage) tools.Result {
		*n++
		return tools.Result{Text: "written"}
	}}
}

// TestDoneOnce: what an attempt did before it was cut off is not done again by the next,
// however the model spells the call; what is new is.
func TestDoneOnce(t *testing.T) {
	root, n := state(t), 0
	h := start(t, root, box(counter(&n)), use("write", `{"a": 1, "b": 2}`), hang)
	h.send("write it")
	h.until(func(e event.Event) bool { d, ok := e.(event.TextDelta); return ok && strings.Contains(d.Text, "begun") })
	h.stop()
	id := h.inboxIDs()
	if len(id) != 1 || n != 1 {
		t.Fatalf("inbox %v, %d effects", id, n)
	}
	e, err := inbox.Open(root).Load(id[0])
	if err != nil || len(e.Effects) != 1 || e.Effects[0].Result != "written" {
		t.Fatalf("%+v, %v", e.Effects, err)
	}

	next := start(t, root, box(counter(&n)), use("write", `{"b":2,"a":1}`), use("write", `{"b":2,"a":1}`), say("fine"))
	if err := next.Retry(id[0]); err != nil {
		t.Fatal(err)
	}
	wait[event.TurnFinished](next)
	if n != 2 {
		t.Errorf("%d effects, want the first and the one that was asked for once more", n)
	}
	requests := next.model.calls()
	last := requests[1].Messages[len(requests[1].Messages)-1]
	if !strings.Contains(last.Content, "not done again") || last.IsError {
		t.Errorf("the model is told %q", last.Content)
	}
}

// TestCutInTheMiddle: of an effect whose end nobody saw, the vault says what became of it.
func TestCutInTheMiddle(t *testing.T) {
	for outcome, want := range map[tools.Outcome]struct {
		effects int
		told    string
	}{
		tools.OutcomeDone:    {0, "not done again"},
		tools.OutcomeNotDone: {1, "written"},
		tools.OutcomeUnknown: {0, "ask the user"},
	} {
		root, n := state(t), 0
		e := entry("m1", 1)
		e.Attempts, e.ToolsRan = 1, true
		e.Effects = []inbox.Effect{{Effect: tools.Effect{Op: "overwrite", Path: "a.md"}, Tool: "write", Arguments: "{}"}}
		saved(t, inbox.Open(root), e)
		with := func(m tools.Messenger) Toolbox { return outcomeBox{box(counter(&n))(m).(fakeBox), outcome} }
		h := start(t, root, with, use("write", "{}"), say("fine"))
		if err := h.Retry("m1"); err != nil {
			t.Fatal(err)
		}
		wait[event.TurnFinished](h)
		sent := h.model.calls()[1].Messages
		if got := sent[len(sent)-1].Content; n != want.effects || !strings.Contains(got, want.told) {
			t.Errorf("outcome %v: %d effects, the model is told %q", outcome, n, got)
		}
	}
}

type outcomeBox struct {
	fakeBox
	outcome tools.Outcome
}

func (b outcomeBox) Outcome(context.Context, tools.Effect) tools.Outcome { return b.outcome }

// TestFailedEffects: a change that failed is not kept as one that was made.
func TestFailedEffects(t *testing.T) {
	root := state(t)
	failing := fakeTool{name: "write", call: func(context.Context, json.RawMessage) tools.Result {
		return tools.Result{Text: "Error: the disk is full", IsError: true}
	}}
	h := start(t, root, box(failing), use("write", "{}"), failWith(llm.Error{Kind: llm.KindAuth}))
	h.send("write it")
	wait[event.TurnFailed](h)
	e, err := inbox.Open(root).Load(h.inboxIDs()[0])
	if err != nil || len(e.Effects) != 0 {
		t.Errorf("%+v, %v", e.Effects, err)
	}
	if !slices.Equal(e.Changes, nil) {
		t.Errorf("changes: %v", e.Changes)
	}
}
