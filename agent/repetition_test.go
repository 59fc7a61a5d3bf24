package agent

import (
	"context"
	"slices"
	"testing"

	"chatvault/agent/event"
	"chatvault/agent/llm"
	"chatvault/agent/window"
)

func TestEndlessAnswer(t *testing.T) {
	const block = "I will look into the note now, and then I will tell you what I found in it, which may take a moment. "
	ended := false
	forever := func(_ context.Context, _ llm.Request, yield func(llm.Chunk, error) bool) {
		for yield(llm.Chunk{Text: block}, nil) {
		}
		ended = true
	}
	thinking := func(_ context.Context, _ llm.Request, yield func(llm.Chunk, error) bool) {
		for yield(llm.Chunk{Reasoning: block}, nil) {
		}
	}
	h := start(t, state(t), box(edits), forever, say("fine"))
	h.send("one")
	f := wait[event.TurnFinished](h)
	if f.Response != block || f.StopReason != event.StopLoop || !ended {
		t.Errorf("%+v, the stream was ended: %v", f, ended)
	}
	if got := h.turns()[0].Messages; len(got) != 2 || got[1].Content != block {
		t.Errorf("on record: %+v", got)
	}
	shown := 0
	for _, e := range h.seen {
		switch e := e.(type) {
		case event.TextDelta:
			shown += len(e.Text)
		case event.TextDone:
			if e.Text != block {
				t.Errorf("%+v", e)
			}
		case event.UsageReported:
			if !e.Usage.Estimated || e.Usage.CompletionTokens < 11*window.Tokens(block) { // what was cut off counts
				t.Errorf("%+v", e)
			}
		}
	}
	if shown > 40*len(block) || !slices.Contains(kinds(h.seen), "Notice") {
		t.Errorf("%d bytes were shown, %v", shown, kinds(h.seen))
	}
	h.send("two")
	if f := wait[event.TurnFinished](h); f.Response != "fine" {
		t.Errorf("%+v", f)
	}

	h = start(t, state(t), box(edits), thinking, say("fine"))
	h.send("one")
	if f := wait[event.TurnFinished](h); f.Response != "fine" || f.StopReason != event.StopCompleted {
		t.Errorf("after endless reasoning: %+v", f) // it is asked once more, like after an empty response
	}
}
