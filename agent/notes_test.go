package agent

import (
	"errors"
	"strings"
	"testing"

	"chatvault/agent/event"
	"chatvault/agent/history"
	"chatvault/agent/pending"
)

// Notes of a later version are neither read as if they were ours nor written over.
func TestMemoryOfALaterVersion(t *testing.T) {
	root := state(t)
	const later = `{"schema":2,"goal":{"text":"future goal"},"new_field":{"a":1}}`
	if err := root.WriteFile(pending.File, []byte(later), 0o600); err != nil {
		t.Fatal(err)
	}
	if n, err := pending.Load(root); !errors.Is(err, pending.ErrLater) || n.Goal != nil {
		t.Error(n, err)
	}
	err := pending.Change(root, func(n *pending.Notes) { n.AddStop(history.Stop{Text: "x"}) })
	if !errors.Is(err, pending.ErrLater) || !strings.Contains(err.Error(), "later version") {
		t.Error(err)
	}
	h, _ := toward(t, root, []reply{say("Fine.")}, []reply{say("MET")}, nil)
	if _, err := h.SetGoal("tag all"); !errors.Is(err, pending.ErrLater) {
		t.Error(err)
	}
	if _, err := h.SetGoal(""); err != nil { // there is none to drop
		t.Error(err)
	}
	h.send("hello")
	wait[event.TurnFinished](h)
	h.stop()
	if data, err := root.ReadFile(pending.File); err != nil || string(data) != later {
		t.Errorf("it is %s now (%v)", data, err)
	}
}
