package agent_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"chatvault/agent/event"
)

// TestRoutedIsNotAllowedForTheConversation: what the user allowed for the rest of a conversation is
// not for what another program sends into it.
func TestRoutedIsNotAllowedForTheConversation(t *testing.T) {
	write := func(text string) step { return use("write_file", `{"path":"a.md","content":"`+text+`"}`) }
	c, m := asked(t, []step{write("1"), say("first"), write("2"), say("second"), write("3"), say("third")})
	c.answer(t, c.begin(t, "go"), event.Answer{Decision: event.AllowConversation})
	next[event.TurnFinished](t, c)
	routed, err := c.p.Submit(context.Background(), event.Inbound{Text: "write", Source: event.SourceWebSocket})
	if err != nil {
		t.Fatal(err)
	}
	c.until(t, func(e event.Event) bool { return isLast(e) && e.Header().TurnID == routed.ID })
	if got := m.results(); len(got) == 0 || !strings.Contains(got[len(got)-1], "cannot be given for a request from another program") {
		t.Errorf("the model was told %q", got)
	}
	if e := c.turn(t, "again"); !finished(e, "third") {
		t.Errorf("what is typed is asked about again: %+v", e)
	}
	if data, err := os.ReadFile(filepath.Join(c.dir, "a.md")); err != nil || string(data) != "3" {
		t.Errorf("%q, %v", data, err)
	}
}
