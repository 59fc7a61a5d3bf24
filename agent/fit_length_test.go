package agent

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"chatvault/agent/event"
	"chatvault/agent/llm"
	"chatvault/agent/window"
)

func tooLong(most int, words string, otherwise reply) reply {
	return func(ctx context.Context, req llm.Request, yield func(llm.Chunk, error) bool) {
		if window.RequestTokens(req) > most {
			yield(llm.Chunk{}, &llm.Error{Kind: llm.KindInvalidRequest, Reason: llm.ReasonContextLength, Status: 400, Message: words})
			return
		}
		otherwise(ctx, req, yield)
	}
}

func TestContextLength(t *testing.T) {
	const most = 4000
	for name, words := range map[string]string{"that names the window": "maximum context length is 4000 tokens", "that does not": "input is too long"} {
		t.Run(name, func(t *testing.T) {
			h := start(t, state(t), box(), tooLong(most, words, summarising(say("Summary."), say("Answer."))))
			for i := range 6 {
				h.send(fmt.Sprintf("%d. %s", i, long(700)))
				if f := wait[event.TurnFinished](h); f.Response != "Answer." {
					t.Fatalf("turn %d: %+v", i, f)
				}
			}
			refused := 0
			for _, req := range h.model.calls() {
				if window.RequestTokens(req) > most {
					refused++
				}
			}
			if refused != 1 || len(h.model.of(llm.PurposeCompact)) == 0 {
				t.Errorf("%d requests were too long, %d summaries", refused, len(h.model.of(llm.PurposeCompact)))
			}
			if n := h.windows.Room(h.model, 0).Window; n > most+200 || n < most/2 {
				t.Errorf("the window is taken to be %d", n)
			}
		})
	}
}

func TestContextLengthExceededTwice(t *testing.T) {
	const words = "maximum context length is 1500 tokens"
	fails := func(h *harness, shows ...string) {
		t.Helper()
		f := wait[event.TurnFailed](h)
		for _, s := range append(shows, words) {
			if !strings.Contains(f.Text, s) || f.Code != llm.KindInvalidRequest {
				t.Errorf("%q is missing in %s: %s", s, f.Code, f.Text)
			}
		}
	}
	h := start(t, state(t), box(), tooLong(1500, words, summarising(say("Summary."), say("Answer."))))
	h.send("one")
	wait[event.TurnFinished](h)
	h.send("two " + long(3000))
	fails(h, "most of it is the message itself", "into a note", "/new")
	if n := len(h.model.of(llm.PurposeTurn)); n != 2 {
		t.Errorf("%d calls", n)
	}
	alone := start(t, state(t), box(), tooLong(0, words, say("Answer.")))
	alone.send("short")
	fails(alone, "nothing older", "send a shorter message, or")
	if n := len(alone.model.calls()); n != 1 {
		t.Errorf("%d calls", n)
	}
	// A model that refuses everything is tried twice.
	never := start(t, state(t), box(), summarising(say("Summary."), say("Answer. "+long(900)), tooLong(0, words, nil)))
	never.send("one " + long(300))
	wait[event.TurnFinished](never)
	never.send("two")
	fails(never, "also after older messages were left out")
	if turns, all := len(never.model.of(llm.PurposeTurn)), len(never.model.calls()); turns != 3 || all != 4 {
		t.Errorf("%d calls, %d in turns", all, turns)
	}
}

func TestContextLengthInALongStep(t *testing.T) {
	const most = 6000
	h := start(t, state(t), box(page(60_000)), tooLong(most, "maximum context length is 6000 tokens", summarising(say("Summary."),
		use("read_file", `{"path":"a.md"}`, "read_file", `{"path":"b.md"}`), say("Read."))))
	h.send("Read both.")
	if f := wait[event.TurnFinished](h); f.Response != "Read." {
		t.Fatalf("%+v", f)
	}
	calls := h.model.calls()
	if len(calls) != 3 || window.RequestTokens(calls[1]) <= most || window.RequestTokens(calls[2]) > most {
		t.Errorf("%d calls", len(calls))
	}
	text := told(calls[2])
	for _, want := range []string{"1: line 1 of a.md", "1: line 1 of b.md", "call read_file again for that part"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing", want)
		}
	}
}

func TestContextLengthDiscardsPartialText(t *testing.T) {
	half := failWith(llm.Error{Kind: llm.KindInvalidRequest, Reason: llm.ReasonContextLength, Message: "context size exceeded"})
	h := start(t, state(t), box(), summarising(say("Summary."), say("Answer. "+long(900)), half, say("Whole.")))
	h.send("one")
	wait[event.TurnFinished](h)
	h.send("two")
	if r := wait[event.Retry](h); r.Attempt != 1 || r.Code != llm.KindInvalidRequest {
		t.Errorf("%+v", r)
	}
	if f := wait[event.TurnFinished](h); f.Response != "Whole." {
		t.Errorf("%+v", f)
	}
}
