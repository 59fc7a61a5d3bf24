package agent

import (
	"slices"
	"testing"

	"chatvault/agent/event"
	"chatvault/agent/inbox"
	"chatvault/agent/llm"
)

func listed(t *testing.T, p *Processor) []string {
	t.Helper()
	list, warnings, err := p.Unfinished()
	if err != nil || len(warnings) > 0 {
		t.Fatal(warnings, err)
	}
	ids := []string{}
	for _, e := range list {
		ids = append(ids, e.ID)
	}
	return ids
}

// Unfinished tells what a user can decide about from what is being worked on.
func TestUnfinished(t *testing.T) {
	root := state(t)
	saved(t, inbox.Open(root), entry("orphan", 1))
	h := start(t, root, box(), failWith(llm.Error{Kind: llm.KindAuth, Message: "no"}), hang)
	h.send("fails")
	failed := wait[event.TurnFailed](h).MessageIDs[0]
	h.send("runs")
	wait[event.TurnStarted](h)
	h.send("waits")
	if got, want := listed(t, h.Processor), []string{"orphan", failed}; !slices.Equal(got, want) {
		t.Errorf("here: %v, want %v", got, want)
	}
	other := start(t, root, box())
	if got, want := listed(t, other.Processor), []string{"orphan"}; !slices.Equal(got, want) {
		t.Errorf("in another process: %v, want %v", got, want)
	}
	h.stop()
	if got := listed(t, other.Processor); len(got) != 4 {
		t.Errorf("after the first ended: %v, want all four", got)
	}
}
