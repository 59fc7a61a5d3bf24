package agent_test

import (
	"slices"
	"strings"
	"testing"

	"chatvault/agent/event"
	"chatvault/agent/llm"
)

func noTools() step {
	return step{err: &llm.Error{Kind: llm.KindInvalidRequest, Reason: llm.ReasonNoTools, Message: "m does not support tools"}}
}

// TestModelWithoutTools: its turns go on without tools, and that is said once.
func TestModelWithoutTools(t *testing.T) {
	d, m := asked(t, []step{say("It is noon."), use("read_file", `{"path":"a.md"}`), noTools(), say("from what I was told"), say("again")})
	turn := func(text, want string) {
		t.Helper()
		if _, err := d.p.Submit(t.Context(), event.Inbound{Text: text}); err != nil {
			t.Fatal(err)
		}
		if f := next[event.TurnFinished](t, d); f.Response != want {
			t.Errorf("%q: %+v", text, f)
		}
	}
	turn("the time?", "It is noon.")
	turn("read a", "from what I was told") // refused after a call: what came of it is told in words
	turn("once more", "again")
	requests := m.calls
	if n := len(requests); n != 5 {
		t.Fatalf("%d requests", n)
	}
	for i, req := range requests {
		calls := slices.ContainsFunc(req.Messages, func(m llm.Message) bool { return len(m.ToolCalls) > 0 || m.Role == llm.RoleTool })
		if without := i >= 3; without == (len(req.Tools) > 0) || without && calls || without != strings.Contains(req.Messages[0].Content, "You have no tools") {
			t.Errorf("request %d: %d tools, calls %v, %.60q", i, len(req.Tools), calls, req.Messages[0].Content)
		}
		told := slices.ContainsFunc(req.Messages, func(m llm.Message) bool {
			return m.Role == llm.RoleUser && strings.Contains(m.Prompt(), "Result of read_file:")
		})
		if told != (i >= 3) {
			t.Errorf("request %d: the result is told: %v", i, told)
		}
	}
	said := 0
	for _, e := range d.events {
		if n, ok := e.(event.Notice); ok && strings.Contains(n.Text, "cannot use tools") {
			said++
		}
	}
	if said != 1 {
		t.Errorf("said %d times", said)
	}
}

// TestModelWithoutToolsRefusesAgain: where it says so of a request without tools, the turn ends.
func TestModelWithoutToolsRefusesAgain(t *testing.T) {
	d, m := asked(t, []step{noTools()})
	if _, err := d.p.Submit(t.Context(), event.Inbound{Text: "go"}); err != nil {
		t.Fatal(err)
	}
	if f := next[event.TurnFailed](t, d); f.Code != llm.KindInvalidRequest || !strings.HasPrefix(f.Text, "This model cannot use tools.\n") {
		t.Errorf("%+v", f)
	}
	if n := len(m.calls); n != 2 {
		t.Errorf("%d requests", n)
	}
}
