package agent

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"chatvault/agent/event"
	"chatvault/agent/llm"
	"chatvault/agent/prompts"
)

// sent is a request as a model is given it: tools first, then messages.
func sent(req llm.Request) string {
	var b strings.Builder
	for _, t := range req.Tools {
		fmt.Fprintf(&b, "tool %s %s %s\n", t.Name, t.Description, t.Parameters)
	}
	for _, m := range req.Messages {
		fmt.Fprintf(&b, "%s %s %q\n", m.Role, m.ToolCallID, m.Prompt())
		for _, c := range m.ToolCalls {
			fmt.Fprintf(&b, "call %s %s %s\n", c.ID, c.Name, c.Arguments)
		}
	}
	return b.String()
}

// grows holds that each of the model calls of turns begins with all of the one before, to the byte. Only
// the newest message may go on: where a response was empty, it says so beneath.
func grows(t *testing.T, calls []llm.Request) {
	t.Helper()
	before := ""
	for i, req := range calls {
		if req.Purpose != llm.PurposeTurn && req.Purpose != llm.PurposePlan {
			continue
		}
		now := sent(req)
		if !strings.HasPrefix(now, before) {
			at := 0
			for at < min(len(now), len(before)) && now[at] == before[at] {
				at++
			}
			t.Errorf("call %d differs at byte %d of %d: %.200q, before %.200q", i+1, at, len(before), now[at:], before[at:])
		}
		before = strings.TrimSuffix(strings.TrimSuffix(now, "\"\n"), `\n</context>`)
	}
}

// What was sent is the beginning of what will be: over empty responses, circles, messages that are
// folded in, questions, failures, plans, the last call of a turn, and in the next process.
func TestRequestsOnlyAppend(t *testing.T) {
	root := state(t)
	look := func(n int) reply { return use("list_files", fmt.Sprintf(`{"n":%d}`, n)) }
	h := start(t, root, box(tool("list_files", true, "none"), tool("write_file", false, "Done.")),
		say(""), look(1), say(""), say("First."), // asked again at the beginning, and after a result
		look(2), use(sendMessage, `{"message":"Which?","is_question":true}`), say("That one."),
		look(3), look(3), look(3), look(3), say("I was stuck."), // circles, which end the turn
		look(4), failWith(llm.Error{Kind: llm.KindInvalidRequest}), say("Again."),
		use("write_file", `{}`), say("1. Write a.md"), say("Done."), // a plan, carried out
		look(5), look(6), look(7), look(8), look(9), say("Enough."), // the limit of rounds, and a call all the same
		say("Last."),
	)
	h.opt.MaxRounds = 4
	turn := func(text string) {
		t.Helper()
		h.send(text)
		h.until(func(e event.Event) bool {
			switch e.(type) {
			case event.TurnFinished, event.TurnFailed:
				return true
			}
			return false
		})
	}
	for _, text := range []string{"one", "two", "the second", "circles", "fails", "again"} {
		turn(text)
	}
	h.plan("tidy up")
	turn("1")
	turn("all of it")
	calls := h.model.calls()
	grows(t, calls)
	for i, req := range calls {
		if req.CacheKey != calls[0].CacheKey || req.CacheKey == "" {
			t.Errorf("call %d: cache key %q", i+1, req.CacheKey)
		}
	}
	before := calls[len(calls)-1]
	if !before.NoCalls || len(before.Tools) != 3 {
		t.Errorf("the last call: no calls %v, %d tools", before.NoCalls, len(before.Tools))
	}

	h.stop() // another process goes on, where the vault has grown
	other := start(t, root, box(tool("list_files", true, "none"), tool("write_file", false, "Done.")), say("Last."))
	other.opt.Vars = func(context.Context) prompts.Vars { return prompts.Vars{VaultName: "Test", Notes: 4711, Folders: 2} }
	other.opt.MaxRounds = h.opt.MaxRounds
	other.send("and now?")
	wait[event.TurnFinished](other)
	grows(t, append([]llm.Request{before}, other.model.calls()...))
}
