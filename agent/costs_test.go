package agent

import (
	"testing"
	"time"

	"chatvault/agent/event"
	"chatvault/agent/llm"
	"chatvault/agent/spend"
	"chatvault/agent/window"
)

// What was used is kept by day and conversation, and the event tells
// how full the model's window is after each call of a turn.
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
	h.stop()
	disk, err := spend.Load(root)
	if err != nil || len(disk.Days) != 2 || len(disk.Conversations) != 3 || disk.Conversations["c9"].Calls != 4 || disk.Days["2026-11-20"].Calls != 4 {
		t.Errorf("on disk: %+v, %v", disk, err)
	}
	for day, used := range disk.Days {
		if day != "2026-11-20" && (used.Calls < 2 || used.Cost < 0.49) {
			t.Errorf("%s: %+v", day, used)
		}
	}
}
