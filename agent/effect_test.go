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

// TestEffectsRunOnce: what an attempt did before it was cut off is not done again by the next,
// however the model spells the call; what is new is.
func TestEffectsRunOnce(t *testing.T) {
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
	if err != nil || len(e.Calls) != 1 || e.Calls[0].Result != "written" {
		t.Fatalf("%+v, %v", e.Calls, err)
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

// TestRetryAfterACrash: a retry does not repeat a change that the journal has from an earlier attempt, even one in the turn
// of another message, nor a call whose outcome is unknown.
func TestRetryAfterACrash(t *testing.T) {
	for name, c := range map[string]struct {
		turn    string // with a call in the journal
		call    tools.Call
		calls   []tools.Call // in the inbox
		effects int
		told    string
	}{
		"done":             {turn: "m1", call: tools.Call{Tool: "write", Arguments: "{}", Result: "edited a.md"}, told: "not done again. Its result: edited a.md"},
		"unclear":          {turn: "m1", call: tools.Call{Tool: "write", Arguments: "{}"}, told: "ask the user"},
		"in another turn":  {turn: "m0", call: tools.Call{Tool: "write", Arguments: "{}", Result: "edited a.md"}, told: "not done again"},
		"another call":     {turn: "m1", call: tools.Call{Tool: "write", Arguments: `{"a":1}`, Result: "edited a.md"}, effects: 1, told: "written"},
		"not done":         {effects: 1, told: "written"},
		"a server's":       {calls: []tools.Call{{Tool: "write", Arguments: "{}"}}, told: "ask the user"},
		"a server's, done": {calls: []tools.Call{{Tool: "write", Arguments: "{}", Result: "sent"}}, told: "Its result: sent"},
	} {
		root, n := state(t), 0
		e := entry("m1", 1)
		e.Attempts, e.ToolsRan, e.Turn, e.Calls = 1, true, "m0", c.calls
		saved(t, inbox.Open(root), e)
		h := start(t, root, box(counter(&n)), use("write", "{}"), say("fine"))
		h.opt.Made = func(_ context.Context, turn string) ([]tools.Call, error) {
			if turn != c.turn {
				return nil, nil
			}
			return []tools.Call{c.call}, nil
		}
		if err := h.Retry("m1"); err != nil {
			t.Fatal(err)
		}
		wait[event.TurnFinished](h)
		sent := h.model.calls()[1].Messages
		if got := sent[len(sent)-1].Content; n != c.effects || !strings.Contains(got, c.told) {
			t.Errorf("%s: %d effects, the model is told %q", name, n, got)
		}
	}
}

// TestPowerFailureBeforeTheMark: the journal knows of a change that the inbox entry does not, so the message is not run
// again without a question.
func TestPowerFailureBeforeTheMark(t *testing.T) {
	root := state(t)
	saved(t, inbox.Open(root), entry("m1", 1))
	h := start(t, root, box(), say("fine"))
	h.opt.Made = func(context.Context, string) ([]tools.Call, error) {
		return []tools.Call{{Tool: "write", Arguments: "{}", Result: "edited a.md"}, {Tool: "write", Arguments: "{}"}}, nil
	}
	for name, of := range map[string]func() ([]inbox.Entry, []string, error){"Recover": h.Recover, "Unfinished": h.Unfinished} {
		if got, _, err := of(); err != nil || len(got) != 1 || !got[0].ToolsRan || !slices.Equal(got[0].Changes, []string{"edited a.md"}) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

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
	if err != nil || len(e.Calls) != 0 {
		t.Errorf("%+v, %v", e.Calls, err)
	}
	if !slices.Equal(e.Changes, nil) {
		t.Errorf("changes: %v", e.Changes)
	}
}
