package agent_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"chatvault/agent"
)

// TestRoutedIsNotAllowedForTheConversation: what the user allowed for the rest of a conversation is
// not for what another program sends into it.
func TestRoutedIsNotAllowedForTheConversation(t *testing.T) {
	write := func(text string) step { return use("write_file", `{"path":"a.md","content":"`+text+`"}`) }
	c, m := asked(t, []step{write("1"), say("first"), write("2"), say("second"), write("3"), say("third")})
	c.answer(t, c.begin(t, "go"), agent.Answer{Decision: agent.AllowConversation})
	next[agent.TurnFinished](t, c)
	routed, err := c.p.Submit(context.Background(), agent.Inbound{Text: "write", Source: agent.SourceWebSocket})
	if err != nil {
		t.Fatal(err)
	}
	c.until(t, func(e agent.Event) bool { return isLast(e) && e.Header().TurnID == routed.ID })
	if got := m.results(); len(got) == 0 || !strings.Contains(got[len(got)-1], "a request that another program sent cannot be consented to") {
		t.Errorf("the model was told %q", got)
	}
	if e := c.turn(t, "again"); !finished(e, "third") {
		t.Errorf("what is typed is asked about again: %+v", e)
	}
	if data, err := os.ReadFile(filepath.Join(c.dir, "a.md")); err != nil || string(data) != "3" {
		t.Errorf("%q, %v", data, err)
	}
}
