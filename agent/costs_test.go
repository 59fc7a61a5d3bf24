package agent

import (
	"testing"
	"time"

	"chatvault/agent/event"
	"chatvault/agent/llm"
	"chatvault/agent/spend"
	"chatvault/agent/window"
)

// What was used is told by day and conversation, the newest first, with what is not on disk yet,
// and how full the model's window is after each call of a turn.
func TestCosts(t *testing.T) {
	root := state(t)
	u := llm.Usage{PromptTokens: 900, CompletionTokens: 100, Cost: 0.25, HasCost: true}
	h := start(t, root, box(), withUsage(u, say("one")), withUsage(u, say("two")))
	h.send("first")
	r := wait[event.UsageReported](h)
	if r.Context != 1000 || r.Window != window.Assumed {
		t.Errorf("the window is told to be %d of %d tokens", r.Context, r.Window)
	}
	wait[event.TurnFinished](h)
	h.NewConversation()
	h.send("second")
	wait[event.TurnFinished](h)
	late := time.Date(2026, 11, 20, 12, 0, 0, 0, time.Local)
	for range 4 {
		h.accounts.Count("c9", llm.Usage{}, late)
	}
	c, err := h.Costs()
	if err != nil || len(c.Days) != 2 || len(c.Conversations) != 3 {
		t.Fatalf("%+v, %v", c, err)
	}
	if c.Days[0].Day < c.Days[1].Day || c.Conversations[2].ID != "c9" || c.Conversations[2].Calls != 4 {
		t.Errorf("%+v", c)
	}
	h.stop()
	disk, err := spend.Read(root)
	if err != nil || len(disk.Conversations) < 2 || disk.Days[0].Calls < 2 || disk.Days[0].Cost < 0.49 {
		t.Errorf("on disk: %+v, %v", disk, err)
	}
}
