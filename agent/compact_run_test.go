package agent

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"chatvault/agent/event"
	"chatvault/agent/llm"
	"chatvault/agent/spend"
	"chatvault/agent/window"
)

func TestAutomaticCompaction(t *testing.T) {
	const most = 8000
	h := start(t, state(t), box(), summarising(
		func(ctx context.Context, req llm.Request, yield func(llm.Chunk, error) bool) {
			text := "They spoke of"
			for i := range 20 {
				if name := fmt.Sprintf("topic %d.", i); strings.Contains(told(req), name) {
					text += fmt.Sprintf(" %d", i)
				}
			}
			if _, before, ok := strings.Cut(told(req), "<summary_so_far>"); ok {
				before, _, _ = strings.Cut(before, "</summary_so_far>")
				text += "; before: " + strings.TrimSpace(before)
			}
			say(text)(ctx, req, yield)
		}, say("Answer."))).sized(most)
	for i := range 12 {
		h.send(fmt.Sprintf("topic %d. %s", i, long(1000)))
		wait[event.TurnFinished](h)
	}
	turns := h.model.of(llm.PurposeTurn)
	if len(turns) != 12 {
		t.Fatalf("%d calls", len(turns))
	}
	for i, req := range turns {
		n, text := window.RequestTokens(req), told(req)
		if n > most*80/100 {
			t.Errorf("turn %d: %d tokens are sent", i, n)
		}
		if !strings.Contains(text, fmt.Sprintf("user: topic %d. ", i)) || i > 0 && !strings.Contains(text, fmt.Sprintf("user: topic %d. ", i-1)) {
			t.Errorf("turn %d: the newest messages are missing", i)
		}
		for j := range i { // all before is told, or summarised
			if name := fmt.Sprintf("topic %d. ", j); !strings.Contains(text, name) && !strings.Contains(text, fmt.Sprintf(" %d", j)) {
				t.Errorf("turn %d: nothing is known of topic %d", i, j)
			}
		}
	}
	n := len(h.model.of(llm.PurposeCompact))
	if n < 2 || n > 4 || strings.Count(strings.Join(kinds(h.seen), " "), "Compacted") != n {
		t.Errorf("%d summaries, %v", n, kinds(h.seen))
	}
	c, err := h.opt.Conversations.Active()
	if err != nil || c.Compaction == nil || len(c.Turns) != 12 {
		t.Fatalf("%+v, %v", c, err)
	}
	if k := c.Compacted(); k < 5 || k > 11 {
		t.Errorf("the record stands for %d turns", k)
	}
}

func TestResultsAreShortenedFirst(t *testing.T) {
	const most = 12_000
	var replies []reply
	for i := range 8 {
		replies = append(replies, use("read_file", fmt.Sprintf(`{"path":"%d.md"}`, i)))
	}
	h := start(t, state(t), box(page(8000)), summarising(say("No."), append(replies, say("Read."), say("Again."))...)).sized(most)
	h.opt.MaxRounds = 10
	h.send("Read them. " + long(50))
	wait[event.TurnFinished](h)
	h.send("And now?")
	wait[event.TurnFinished](h)
	calls := h.model.calls()
	if len(calls) != 10 || len(h.model.of(llm.PurposeCompact)) > 0 {
		t.Fatalf("%d calls, %v", len(calls), kinds(h.seen))
	}
	for i, req := range calls {
		if n := window.RequestTokens(req); n > most*80/100 {
			t.Errorf("call %d: %d tokens are sent", i, n)
		}
		if i == 0 || i > 8 {
			continue
		}
		last := req.Messages[len(req.Messages)-1]
		if len(last.Content) < 8000 {
			t.Errorf("call %d: the newest result has %d bytes", i, len(last.Content))
		}
	}
	first, end := calls[8].Messages, calls[9].Messages
	for i := range first[1:] {
		if first[i+1].Content != end[i+1].Content {
			t.Errorf("message %d has other bytes in the next turn", i+1)
		}
	}
	short := first[3].Content
	if !strings.Contains(short, "call read_file again for that part") {
		t.Errorf("the first result is %q", short)
	}
	if full := h.turns()[0].Messages; len(full[2].Content) < 8000 {
		t.Error("what is on record was shortened")
	}
}

// A turn whose own steps no longer fit ends with an account; the next one continues with a summary of it.
func TestTurnExceedsTheWindow(t *testing.T) {
	const most = 8000
	var replies []reply
	for i := range 7 { // large arguments, which cannot be shortened
		replies = append(replies, use("edit_file", fmt.Sprintf(`{"path":"%d.md","new_text":%q}`, i, long(1200))))
	}
	h := start(t, state(t), box(edits), summarising(say("Notes were edited."), append(replies, say("All done."))...)).sized(most)
	h.opt.MaxRounds = 10
	h.send("Edit them all.")
	f := wait[event.TurnFinished](h)
	if f.StopReason != event.StopLength || !strings.Contains(f.Response, "grown longer than the model takes. ") || !strings.HasSuffix(f.Response, "Say “continue” to go on.") {
		t.Errorf("%+v", f)
	}
	h.send("continue")
	if f := wait[event.TurnFinished](h); f.Response != "All done." {
		t.Errorf("%+v", f)
	}
	calls := h.model.of(llm.PurposeTurn)
	for i, req := range calls {
		if n := window.RequestTokens(req); n > most {
			t.Errorf("call %d: %d tokens are sent", i, n)
		}
	}
	if last := told(calls[len(calls)-1]); !strings.Contains(last, "Notes were edited.") {
		t.Errorf("the summary is missing in %s", last)
	}
	if turns := h.turns(); len(turns) != 2 {
		t.Errorf("on record: %+v", turns)
	}
}

func TestFailedCompactionStopsTheTurn(t *testing.T) {
	h := start(t, state(t), box(), summarising(failWith(llm.Error{Kind: llm.KindInvalidRequest, Message: "no summaries here"}), say("Answer. "+long(3000)), say("two"))).sized(4000)
	h.send("one")
	wait[event.TurnFinished](h)
	m := h.send("two")
	if f := wait[event.CompactFailed](h); !strings.Contains(f.Text, "no summaries here") || f.TurnID != m.ID {
		t.Errorf("%+v", f)
	}
	f := wait[event.TurnFailed](h)
	for _, want := range []string{"no longer fits", "no summaries here", "start a new conversation"} {
		if !strings.Contains(f.Text, want) {
			t.Errorf("%q is missing in %s", want, f.Text)
		}
	}
	if calls := h.model.calls(); len(calls) != 2 || !slices.Equal(h.inboxIDs(), []string{m.ID}) {
		t.Errorf("%d calls, inbox %v", len(calls), h.inboxIDs())
	}
	h.NewConversation()
	h.send("three")
	if f := wait[event.TurnFinished](h); f.Response != "two" {
		t.Errorf("%+v", f)
	}
}

func TestCompactionIsWithinTheBudget(t *testing.T) {
	whole := func(n int, r reply) reply { return withUsage(llm.Usage{PromptTokens: n}, r) }
	h := start(t, state(t), box(), summarising(whole(900, say("Summary.")), whole(10, say("Answer. "+long(3500))), say("never"))).sized(4000)
	h.opt.Budget = spend.Budget{Tokens: 500}
	h.send("one")
	wait[event.TurnFinished](h)
	h.send("two")
	if f := wait[event.TurnFinished](h); f.StopReason != event.StopBudget || !strings.Contains(f.Response, "900 of 500") {
		t.Errorf("%+v", f)
	}
	if n := len(h.model.calls()); n != 2 {
		t.Errorf("%d calls", n)
	}
	u := event.UsageReported{}
	for _, e := range h.seen {
		if e, ok := e.(event.UsageReported); ok {
			u = e
		}
	}
	if u.Turn.Prompt != 900 || u.Conversation.Prompt != 910 {
		t.Errorf("%+v", u)
	}
}
