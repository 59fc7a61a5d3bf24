package agent

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"chatvault/agent/event"
	"chatvault/agent/pending"
)

// TestUndoIsReportedToTheModelOnce checks that the next completed turn has one line about each undo between turns, and
// later ones have none.
func TestUndoIsReportedToTheModelOnce(t *testing.T) {
	root := state(t)
	for _, text := range []string{"The user undid what you did for “one”: removed a.md.", "The user\nrestored  “one”."} {
		if err := pending.AddUndo(root, "", text); err != nil {
			t.Fatal(err)
		}
	}
	h := start(t, root, box(), say("ok"), say("ok"))
	h.send("two")
	wait[event.TurnFinished](h)
	h.send("three")
	wait[event.TurnFinished](h)
	calls := h.model.calls()
	told := func(i int) string {
		m := calls[i].Messages
		return m[len(m)-1].Prompt()
	}
	if got := told(0); !strings.Contains(got, "undid what you did for “one”: removed a.md.\nThe user restored “one”.") {
		t.Errorf("the first turn is told %q", got)
	}
	if got := told(1); strings.Contains(got, "undid") {
		t.Errorf("the second is told again: %q", got)
	}
}

// TestTurnEndIsReported checks that the end of each turn is reported, except of one that the exit of the program cut off.
func TestTurnEndIsReported(t *testing.T) {
	root := state(t)
	ended := make(chan string, 9)
	p := start(t, root, box(), say("ok"), hang)
	p.opt.TurnEnded = func(id string) { ended <- id }
	p.send("one")
	f := wait[event.TurnFinished](p)
	if got := <-ended; got != f.Header().TurnID {
		t.Errorf("%q ended, want %q", got, f.Header().TurnID)
	}
	p.send("two")
	p.until(func(e event.Event) bool { d, ok := e.(event.TextDelta); return ok && strings.Contains(d.Text, "begun") })
	p.stop()
	if len(ended) > 0 {
		t.Errorf("%q ended", <-ended)
	}
}

// TestReportedUndosAreBounded: of many the newest are told.
func TestReportedUndosAreBounded(t *testing.T) {
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = root.Close() }()
	for i := range pending.MaxUndos + 2 {
		if err := pending.AddUndo(root, "", fmt.Sprintf("Undo %d.", i)); err != nil {
			t.Fatal(err)
		}
	}
	n, err := pending.Load(root)
	if err != nil || len(n.Undos) != pending.MaxUndos || n.Undos[pending.MaxUndos-1].Text != fmt.Sprintf("Undo %d.", pending.MaxUndos+1) {
		t.Errorf("%+v, %v", n.Undos, err)
	}
}
