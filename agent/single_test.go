package agent

import (
	"context"
	"slices"
	"testing"

	"chatvault/agent/event"
	"chatvault/agent/llm"
)

// TestSingle: with Single, messages that wait are turns of their own, in order, and none joins a running turn. Each keeps
// its sender for the model.
func TestSingle(t *testing.T) {
	gate := make(chan struct{})
	first := func(ctx context.Context, req llm.Request, yield func(llm.Chunk, error) bool) {
		<-gate
		say("one")(ctx, req, yield)
	}
	h := start(t, state(t), box(), first, say("two"), say("three"))
	h.single = true
	ids := []string{h.send("1").ID}
	wait[event.TurnStarted](h)
	for _, name := range []string{"Ana", "Ben\n\x00" + "Bo"} {
		ids = append(ids, h.submit(event.Inbound{Text: "from " + name[:3], Metadata: map[string]string{event.MetaSender: name}}).ID)
	}
	close(gate)
	for _, id := range ids[1:] {
		wait[event.TurnFinished](h)
		if s := wait[event.TurnStarted](h); !slices.Equal(s.MessageIDs, []string{id}) {
			t.Errorf("a turn takes %v", s.MessageIDs)
		}
	}
	wait[event.TurnFinished](h)
	last := h.model.calls()[2].Messages
	for i, want := range map[int]string{3: "This message is from Ana.", 5: "This message is from Ben ␀Bo."} {
		if got := last[i].Context; got[:min(len(got), len(want))] != want {
			t.Errorf("the context of message %d is %q", i, got)
		}
	}
}
