package agent

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"chatvault/agent/event"
	"chatvault/agent/llm"
)

func TestCompactOnDemand(t *testing.T) {
	root := state(t)
	h := start(t, root, box(page(10), edits), summarising(say("They decided on blue."),
		use("edit_file", `{"path":"a.md"}`), say("Changed."), say("Two."), say("Three."), say("Four.")))
	h.send("Make it blue. " + long(300))
	wait[event.TurnFinished](h)
	h.send("And two.")
	wait[event.TurnFinished](h)
	if err := h.Compact(); err != nil {
		t.Fatal(err)
	}
	started := wait[event.CompactStarted](h)
	done := wait[event.Compacted](h)
	if started.TurnID != "" || done.TurnID != "" || done.After >= done.Before || done.Before < 300 {
		t.Errorf("%+v, %+v", started, done)
	}
	if done.Summary != "They decided on blue." {
		t.Errorf("summary %q", done.Summary)
	}
	asked := h.model.of(llm.PurposeCompact)
	if len(asked) != 1 || len(asked[0].Tools) != 0 || len(asked[0].Messages) != 2 {
		t.Fatalf("%+v", asked)
	}
	for _, want := range []string{"User: Make it blue.", `Call: edit_file {"path":"a.md"}`, "Assistant: Changed.", "User: And two."} {
		if !strings.Contains(asked[0].Messages[1].Content, want) {
			t.Errorf("%q is missing in %s", want, asked[0].Messages[1].Content)
		}
	}
	for _, e := range h.seen {
		switch e := e.(type) {
		case event.TextDelta:
			if strings.Contains(e.Text, "decided") {
				t.Errorf("the summary is shown as an answer: %+v", e)
			}
		case event.StateChanged:
			if e.TurnID == "" {
				t.Errorf("a state without a turn: %+v", e)
			}
		}
	}
	check := func(h *harness, answer string) {
		t.Helper()
		h.send("Go on.")
		if f := wait[event.TurnFinished](h); f.Response != answer {
			t.Fatalf("%+v", f)
		}
		calls := h.model.of(llm.PurposeTurn)
		text := told(calls[len(calls)-1])
		if strings.Contains(text, "Make it blue") || !strings.Contains(text, "They decided on blue.") || !strings.Contains(text, "user: Go on.") {
			t.Errorf("the model is told %s", text)
		}
	}
	check(h, "Three.")
	h.stop()
	again := start(t, root, box(page(10), edits), say("Five."))
	check(again, "Five.")
	if turns := again.turns(); len(turns) != 4 || !strings.HasPrefix(turns[0].Messages[0].Content, "Make it blue.") {
		t.Errorf("%d turns are on record", len(turns))
	}
	c, day, err := again.Usage()
	if err != nil || c.Calls < 6 || day.Calls < 6 { // five in turns, one for the summary
		t.Errorf("counted %+v, %+v, %v", c, day, err)
	}
}

func TestCompactNothing(t *testing.T) {
	h := start(t, state(t), box(), summarising(say("Short."), say("one "+long(200)), say("two")))
	nothing := func() {
		t.Helper()
		calls := len(h.model.calls())
		if err := h.Compact(); err != nil {
			t.Fatal(err)
		}
		if n := wait[event.Notice](h); n.Text != nothingToCompact || n.TurnID != "" || len(h.model.calls()) != calls {
			t.Errorf("%+v", n)
		}
	}
	nothing()
	h.send("one")
	wait[event.TurnFinished](h)
	if err := h.Compact(); err != nil {
		t.Fatal(err)
	}
	wait[event.Compacted](h)
	nothing() // nothing was said since
	h.NewConversation()
	nothing() // the next message begins another
	h.send("two")
	if f := wait[event.TurnFinished](h); f.Response != "two" || h.Busy() {
		t.Errorf("%+v", f)
	}
	if slices.Contains(kinds(h.seen), "CompactFailed") {
		t.Error(kinds(h.seen))
	}
}

func TestCompactWaitsForTheTurn(t *testing.T) {
	running, release := make(chan struct{}), make(chan struct{})
	slow := func(ctx context.Context, req llm.Request, yield func(llm.Chunk, error) bool) {
		close(running)
		<-release
		say("one "+long(200))(ctx, req, yield)
	}
	h := start(t, state(t), box(), summarising(say("Short."), slow, say("two")))
	h.send("one")
	<-running
	if err := h.Compact(); err != nil {
		t.Fatal(err)
	}
	h.hold("two")
	if slices.Contains(kinds(h.seen), "CompactStarted") || !h.Busy() {
		t.Error("it does not wait")
	}
	close(release)
	wait[event.TurnFinished](h)
	wait[event.CompactStarted](h)
	wait[event.Compacted](h)
	wait[event.TurnFinished](h)
	if got := told(h.model.of(llm.PurposeTurn)[1]); !strings.Contains(got, "Short.") {
		t.Errorf("what waited was told %s", got)
	}
}

func TestCompactStopped(t *testing.T) {
	for _, how := range []string{"stop", "close"} {
		t.Run(how, func(t *testing.T) {
			root := state(t)
			h := start(t, root, box(), summarising(hang, say("one"), say("two")))
			h.send("one")
			wait[event.TurnFinished](h)
			if err := h.Compact(); err != nil {
				t.Fatal(err)
			}
			wait[event.CompactStarted](h)
			if !h.Busy() {
				t.Error("it is not busy")
			}
			if how == "close" {
				h.stop()
				if err := h.Compact(); err == nil {
					t.Error("taken by a processor that is closed")
				}
				return
			}
			begun := time.Now()
			h.Stop()
			if f := wait[event.CompactFailed](h); f.Text != "" || time.Since(begun) > time.Second || h.Busy() {
				t.Errorf("%+v after %v", f, time.Since(begun))
			}
			h.send("two")
			wait[event.TurnFinished](h)
			if got := told(h.model.of(llm.PurposeTurn)[1]); !strings.Contains(got, "user: one") {
				t.Errorf("the model is told %s", got)
			}
		})
	}
}

func TestCompactFails(t *testing.T) {
	for name, c := range map[string]struct {
		summary reply
		says    string
		calls   int
	}{
		"refused":        {failWith(llm.Error{Kind: llm.KindInvalidRequest, Message: "no such thing"}), "no such thing", 1},
		"no network":     {failWith(llm.Error{Kind: llm.KindNetwork, Message: "cut off"}), "cut off", 2},
		"says nothing":   {say(" "), "returned nothing", 1},
		"as long":        {say(long(3000)), "not shorter", 1},
		"does not fit":   {failWith(llm.Error{Kind: llm.KindInvalidRequest, Reason: llm.ReasonContextLength, Message: "too long"}), "too long", 1},
		"panics":         {func(context.Context, llm.Request, func(llm.Chunk, error) bool) { panic("boom") }, "boom", 1},
		"goes on and on": {say(strings.Repeat("on and ", 3000)), "not shorter", 1},
	} {
		t.Run(name, func(t *testing.T) {
			h := start(t, state(t), box(), summarising(c.summary, say("one"), say("two")))
			h.opt.Retry = h.opt.Retry[:1]
			h.send("o")
			wait[event.TurnFinished](h)
			if err := h.Compact(); err != nil {
				t.Fatal(err)
			}
			if f := wait[event.CompactFailed](h); !strings.Contains(f.Text, c.says) || h.Busy() {
				t.Errorf("%+v", f)
			}
			if n := len(h.model.of(llm.PurposeCompact)); n != c.calls {
				t.Errorf("%d calls, want %d", n, c.calls)
			}
			h.send("two")
			if f := wait[event.TurnFinished](h); f.Response != "two" {
				t.Errorf("%+v", f)
			}
			if got := told(h.model.of(llm.PurposeTurn)[1]); !strings.Contains(got, "user: o\n") {
				t.Errorf("the model is told %s", got)
			}
		})
	}
}

func TestSummaryThatCannotBeRecorded(t *testing.T) {
	root := state(t)
	file := ""
	then := func(r reply, do ...func() error) reply {
		return func(ctx context.Context, req llm.Request, yield func(llm.Chunk, error) bool) {
			for _, f := range do {
				if err := f(); err != nil {
					t.Error(err)
				}
			}
			r(ctx, req, yield)
		}
	}
	away := func() error { return errors.Join(os.Rename(file, file+".away"), os.Mkdir(file, 0o700)) }
	back := func() error { return errors.Join(os.Remove(file), os.Rename(file+".away", file)) }
	h := start(t, root, box(), summarising(then(say("Summary."), func() error { return away() }),
		say("Answer. "+long(3000)), then(say("two"), func() error { return back() }))).sized(4000)
	h.send("one")
	wait[event.TurnFinished](h)
	files, err := filepath.Glob(filepath.Join(root.Name(), "conversations", "*.jsonl"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	file = files[0]
	if err := h.Compact(); err != nil {
		t.Fatal(err)
	}
	if f := wait[event.CompactFailed](h); !strings.Contains(f.Text, "could not be recorded") {
		t.Errorf("%+v", f)
	}
	if err := back(); err != nil {
		t.Fatal(err)
	}
	h.send("two")
	if n := wait[event.Notice](h); !strings.Contains(n.Text, "could not be recorded") {
		t.Errorf("%+v", n)
	}
	wait[event.Compacted](h)
	if f := wait[event.TurnFinished](h); f.Response != "two" || len(h.turns()) != 2 {
		t.Errorf("%+v, %d turns on record", f, len(h.turns()))
	}
}

func TestSummaryOfARetriedTurn(t *testing.T) {
	h := start(t, state(t), box(), summarising(say("It failed."), failWith(llm.Error{Kind: llm.KindInvalidRequest, Message: "no " + long(200)}), say("Done."), say("Next.")))
	m := h.send("do it")
	wait[event.TurnFailed](h)
	if err := h.Compact(); err != nil {
		t.Fatal(err)
	}
	wait[event.Compacted](h)
	if err := h.Retry(m.ID); err != nil {
		t.Fatal(err)
	}
	wait[event.TurnFinished](h)
	h.send("next")
	wait[event.TurnFinished](h)
	calls := h.model.of(llm.PurposeTurn)
	if text := told(calls[2]); !strings.Contains(text, "It failed.") || strings.Count(text, "user: do it") != 1 || !strings.Contains(text, "assistant: Done.") {
		t.Errorf("the model is told %s", text)
	}
}
