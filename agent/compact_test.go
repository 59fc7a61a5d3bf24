package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"chatvault/agent/llm"
	"chatvault/conversation"
	"chatvault/tools"
)

// at answers by what a request is for: summaries by one reply, the rest by the others in turn.
func summarising(summary reply, replies ...reply) reply {
	n := 0
	return func(ctx context.Context, req llm.Request, yield func(llm.Chunk, error) bool) {
		if req.Purpose == llm.PurposeCompact {
			summary(ctx, req, yield)
			return
		}
		n++
		replies[min(n, len(replies))-1](ctx, req, yield)
	}
}

// of are the requests of a purpose.
func (f *fakeModel) of(p llm.Purpose) []llm.Request {
	return slices.DeleteFunc(f.calls(), func(r llm.Request) bool { return r.Purpose != p })
}

// told is a request as text, a line or more a message.
func told(req llm.Request) string {
	var b strings.Builder
	for _, m := range req.Messages {
		fmt.Fprintf(&b, "%s: %s\n", m.Role, m.Prompt())
		for _, c := range m.ToolCalls {
			fmt.Fprintf(&b, "call %s %s\n", c.Name, c.Arguments)
		}
	}
	return b.String()
}

// page reads a note of so many bytes, another one for each path.
func page(size int) fakeTool {
	return fakeTool{name: "read_file", readOnly: true, call: func(_ context.Context, args json.RawMessage) tools.Result {
		var a struct{ Path string }
		_ = json.Unmarshal(args, &a)
		var b strings.Builder
		for i := 1; b.Len() < size; i++ {
			fmt.Fprintf(&b, "%d: line %d of %s\n", i, i, a.Path)
		}
		return tools.Result{Text: b.String()}
	}}
}

// edits changes a note.
var edits = fakeTool{name: "edit_file", call: func(_ context.Context, args json.RawMessage) tools.Result {
	var a struct{ Path string }
	_ = json.Unmarshal(args, &a)
	return tools.Result{Text: fmt.Sprintf("Replaced 1 occurrence in %q.\n-old\n+new", a.Path)}
}}

// long is a message of about so many tokens.
func long(tokens int) string { return varied(tokens) }

func TestCompactOnDemand(t *testing.T) {
	root := state(t)
	h := start(t, root, box(page(10), edits), summarising(say("They decided on blue."),
		use("edit_file", `{"path":"a.md"}`), say("Changed."), say("Two."), say("Three."), say("Four.")))
	h.send("Make it blue. " + long(300))
	wait[TurnFinished](h)
	h.send("And two.")
	wait[TurnFinished](h)
	if err := h.Compact(); err != nil {
		t.Fatal(err)
	}
	started := wait[CompactStarted](h)
	done := wait[Compacted](h)
	if started.TurnID != "" || done.TurnID != "" || done.After >= done.Before || done.Before < 300 {
		t.Errorf("%+v, %+v", started, done)
	}
	// What must not depend on the model is there though it forgot it.
	if !strings.HasPrefix(done.Summary, "They decided on blue.") || !strings.Contains(done.Summary, `Replaced 1 occurrence in "a.md".`) {
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
		case TextDelta:
			if strings.Contains(e.Text, "decided") {
				t.Errorf("the summary is shown as an answer: %+v", e)
			}
		case StateChanged:
			if e.TurnID == "" {
				t.Errorf("a state without a turn: %+v", e)
			}
		}
	}
	check := func(h *harness, answer string) {
		t.Helper()
		h.send("Go on.")
		if f := wait[TurnFinished](h); f.Response != answer {
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

// TestCompactNothing: a Notice, no model call, and the next message is worked on.
func TestCompactNothing(t *testing.T) {
	h := start(t, state(t), box(), summarising(say("Short."), say("one "+long(200)), say("two")))
	nothing := func() {
		t.Helper()
		calls := len(h.model.calls())
		if err := h.Compact(); err != nil {
			t.Fatal(err)
		}
		if n := wait[Notice](h); n.Text != nothingToCompact || n.TurnID != "" || len(h.model.calls()) != calls {
			t.Errorf("%+v", n)
		}
	}
	nothing()
	h.send("one")
	wait[TurnFinished](h)
	if err := h.Compact(); err != nil {
		t.Fatal(err)
	}
	wait[Compacted](h)
	nothing() // nothing was said since
	h.NewConversation()
	nothing() // the next message begins another
	h.send("two")
	if f := wait[TurnFinished](h); f.Response != "two" || h.Busy() {
		t.Errorf("%+v", f)
	}
	if slices.Contains(kinds(h.seen), "CompactFailed") {
		t.Error(kinds(h.seen))
	}
}

// TestCompactWaitsForTheTurn: asked for while a turn runs, it comes after it and before what
// waits.
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
	wait[TurnFinished](h)
	wait[CompactStarted](h)
	wait[Compacted](h)
	wait[TurnFinished](h)
	if got := told(h.model.of(llm.PurposeTurn)[1]); !strings.Contains(got, "Short.") {
		t.Errorf("what waited was told %s", got)
	}
}

// TestCompactStopped: Stop, and the end of the program, end it; nothing has changed.
func TestCompactStopped(t *testing.T) {
	for _, how := range []string{"stop", "close"} {
		t.Run(how, func(t *testing.T) {
			root := state(t)
			h := start(t, root, box(), summarising(hang, say("one"), say("two")))
			h.send("one")
			wait[TurnFinished](h)
			if err := h.Compact(); err != nil {
				t.Fatal(err)
			}
			wait[CompactStarted](h)
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
			if f := wait[CompactFailed](h); f.Text != "" || time.Since(begun) > time.Second || h.Busy() {
				t.Errorf("%+v after %v", f, time.Since(begun))
			}
			h.send("two")
			wait[TurnFinished](h)
			if got := told(h.model.of(llm.PurposeTurn)[1]); !strings.Contains(got, "user: one") {
				t.Errorf("the model is told %s", got)
			}
		})
	}
}

// TestCompactFails: the user is told why; nothing has changed.
func TestCompactFails(t *testing.T) {
	for name, c := range map[string]struct {
		summary reply
		says    string
		calls   int
	}{
		"refused":        {failWith(llm.Error{Kind: llm.KindInvalidRequest, Message: "no such thing"}), "no such thing", 1},
		"no network":     {failWith(llm.Error{Kind: llm.KindNetwork, Message: "cut off"}), "cut off", 2},
		"says nothing":   {say(" "), "returned no summary", 1},
		"as long":        {say(long(3000)), "no shorter", 1},
		"does not fit":   {failWith(llm.Error{Kind: llm.KindInvalidRequest, Reason: llm.ReasonContextLength, Message: "too long"}), "too long", 2},
		"panics":         {func(context.Context, llm.Request, func(llm.Chunk, error) bool) { panic("boom") }, "boom", 1},
		"goes on and on": {say(strings.Repeat("on and ", 3000)), "no shorter", 1},
	} {
		t.Run(name, func(t *testing.T) {
			h := start(t, state(t), box(), summarising(c.summary, say("one"), say("two")))
			h.opt.Retry.Delays = h.opt.Retry.Delays[:1]
			h.send("o")
			wait[TurnFinished](h)
			if err := h.Compact(); err != nil {
				t.Fatal(err)
			}
			if f := wait[CompactFailed](h); !strings.Contains(f.Text, c.says) || h.Busy() {
				t.Errorf("%+v", f)
			}
			if n := len(h.model.of(llm.PurposeCompact)); n != c.calls {
				t.Errorf("%d calls, want %d", n, c.calls)
			}
			h.send("two")
			if f := wait[TurnFinished](h); f.Response != "two" {
				t.Errorf("%+v", f)
			}
			if got := told(h.model.of(llm.PurposeTurn)[1]); !strings.Contains(got, "user: o\n") {
				t.Errorf("the model is told %s", got)
			}
		})
	}
}

// sized sets the window of the model.
func (h *harness) sized(window int) *harness {
	h.opt.Window = window
	return h
}

// TestAutomaticCompaction: as the conversation nears the window its older turns become a
// summary, on record, while the newest one and the message at hand stay; what was summarised
// once is in the next summary too.
func TestAutomaticCompaction(t *testing.T) {
	const window = 8000
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
		}, say("Answer."))).sized(window)
	for i := range 12 {
		h.send(fmt.Sprintf("topic %d. %s", i, long(1000)))
		wait[TurnFinished](h)
	}
	turns := h.model.of(llm.PurposeTurn)
	if len(turns) != 12 {
		t.Fatalf("%d calls", len(turns))
	}
	for i, req := range turns {
		n, text := requestTokens(req), told(req)
		if n > window*80/100 {
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

// TestResultsAreShortenedFirst: large results of earlier steps go before anything else does, and
// stay as they are in later turns too.
func TestResultsAreShortenedFirst(t *testing.T) {
	const window = 12_000
	var replies []reply
	for i := range 8 {
		replies = append(replies, use("read_file", fmt.Sprintf(`{"path":"%d.md"}`, i)))
	}
	h := start(t, state(t), box(page(8000)), summarising(say("No."), append(replies, say("Read."), say("Again."))...)).sized(window)
	h.opt.MaxRounds = 10
	h.send("Read them. " + long(50))
	wait[TurnFinished](h)
	h.send("And now?")
	wait[TurnFinished](h)
	calls := h.model.calls()
	if len(calls) != 10 || len(h.model.of(llm.PurposeCompact)) > 0 {
		t.Fatalf("%d calls, %v", len(calls), kinds(h.seen))
	}
	for i, req := range calls {
		if n := requestTokens(req); n > window*80/100 {
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
	if !strings.Contains(short, `call read_file again with {"end_line":`) || !strings.Contains(short, `"path":"0.md"`) {
		t.Errorf("the first result is %q", short)
	}
	if full := h.turns()[0].Messages; len(full[2].Content) < 8000 {
		t.Error("what is on record was shortened")
	}
}

// TestStepsAreCompacted: in a long turn, steps of its own that are too old become a summary, in
// memory only; what the user said in it stays.
func TestStepsAreCompacted(t *testing.T) {
	const window = 8000
	var replies []reply
	for i := range 9 { // large arguments, that nothing but a summary makes small
		replies = append(replies, use("edit_file", fmt.Sprintf(`{"path":"%d.md","new_text":%q}`, i, long(1200))))
	}
	h := start(t, state(t), box(edits), summarising(say("Notes were edited."), append(replies, say("All done."))...)).sized(window)
	h.opt.MaxRounds = 10
	h.send("Edit them all.")
	if f := wait[TurnFinished](h); f.Response != "All done." || f.StopReason != StopCompleted {
		t.Errorf("%+v", f)
	}
	calls := h.model.of(llm.PurposeTurn)
	for i, req := range calls {
		if n := requestTokens(req); n > window*80/100 {
			t.Errorf("call %d: %d tokens are sent", i, n)
		}
		if i > 0 && !strings.Contains(told(req), fmt.Sprintf(`call edit_file {"path":"%d.md"`, i-1)) {
			t.Errorf("call %d: the newest step is missing", i)
		}
	}
	last := told(calls[len(calls)-1])
	for _, want := range []string{"user: Edit them all.", "What you did for this so far", "Notes were edited.", `- Replaced 1 occurrence in "0.md".`, `- Replaced 1 occurrence in "4.md".`} {
		if !strings.Contains(last, want) {
			t.Errorf("%q is missing in %s", want, last)
		}
	}
	summaries := h.model.of(llm.PurposeCompact)
	if len(summaries) < 2 {
		t.Fatalf("%d summaries", len(summaries))
	}
	for i, req := range summaries {
		if text := told(req); !strings.Contains(text, "<request>\nUser: Edit them all.\n</request>") || i > 0 && !strings.Contains(text, "<summary_so_far>\nNotes were edited.\n</summary_so_far>") {
			t.Errorf("summary %d is asked for with %s", i, text)
		}
	}
	turns := h.turns()
	if len(turns) != 1 || len(turns[0].Messages) != 1+2*9+1 {
		t.Errorf("on record: %+v", turns)
	}
	if c, err := h.opt.Conversations.Active(); err != nil || c.Compaction != nil {
		t.Errorf("%+v, %v", c, err)
	}
}

// TestStepsKeepWhatWasFoldedIn: a message of the user among steps that are summarised is sent.
func TestStepsKeepWhatWasFoldedIn(t *testing.T) {
	r := &run{Task: Task{History: []llm.Message{{Role: llm.RoleSystem, Content: "s"}, {Role: llm.RoleUser, Content: "first"}}}}
	r.out.Record = []conversation.Message{
		{Role: conversation.RoleAssistant, ToolCalls: []conversation.ToolCall{{ID: "1", Name: "read_file", Arguments: "{}"}}},
		{Role: conversation.RoleTool, ToolCallID: "1", ToolName: "read_file", Content: "x"},
		{Role: conversation.RoleUser, Content: "second", Context: "told"},
		{Role: conversation.RoleAssistant, ToolCalls: []conversation.ToolCall{{ID: "2", Name: "read_file", Arguments: "{}"}}},
		{Role: conversation.RoleTool, ToolCallID: "2", ToolName: "read_file", Content: "y"},
	}
	r.view.steps = stepsCut{records: 3, summary: "read x"}
	got := r.whole()
	if f := faults(got); len(f) > 0 || len(got) != 5 {
		t.Fatalf("%v in %+v", f, got)
	}
	if got[1].Content != "first" || got[1].Context != "" || got[2].Content != "second" || !strings.HasPrefix(got[2].Context, "told\nWhat you did") || got[4].Content != "y" {
		t.Errorf("%+v", got)
	}
}

// tooLong refuses what is longer than so many of our tokens.
func tooLong(window int, words string, otherwise reply) reply {
	return func(ctx context.Context, req llm.Request, yield func(llm.Chunk, error) bool) {
		if requestTokens(req) > window {
			yield(llm.Chunk{}, &llm.Error{Kind: llm.KindInvalidRequest, Reason: llm.ReasonContextLength, Status: 400, Message: words})
			return
		}
		otherwise(ctx, req, yield)
	}
}

// TestContextLength: a refusal as too long makes room and goes on, once a call; the window is
// known from then on.
func TestContextLength(t *testing.T) {
	const window = 4000
	for name, words := range map[string]string{"that names the window": "maximum context length is 4000 tokens", "that does not": "input is too long"} {
		t.Run(name, func(t *testing.T) {
			h := start(t, state(t), box(), tooLong(window, words, summarising(say("Summary."), say("Answer."))))
			for i := range 6 {
				h.send(fmt.Sprintf("%d. %s", i, long(700)))
				if f := wait[TurnFinished](h); f.Response != "Answer." {
					t.Fatalf("turn %d: %+v", i, f)
				}
			}
			refused := 0
			for _, req := range h.model.calls() {
				if requestTokens(req) > window {
					refused++
				}
			}
			if refused != 1 || len(h.model.of(llm.PurposeCompact)) == 0 {
				t.Errorf("%d requests were too long, %d summaries", refused, len(h.model.of(llm.PurposeCompact)))
			}
			if n := h.windows.room(h.model, 0).window; n > window+200 || n < window/2 {
				t.Errorf("the window is taken to be %d", n)
			}
		})
	}
}

// TestContextLengthForGood: what is too long with everything older left out, too, fails with
// clear words after one more try; where nothing older is there, at once.
func TestContextLengthForGood(t *testing.T) {
	const words = "maximum context length is 1500 tokens"
	fails := func(h *harness, shows ...string) {
		t.Helper()
		f := wait[TurnFailed](h)
		for _, s := range append(shows, "/new", words) {
			if !strings.Contains(f.Text, s) || f.Code != llm.KindInvalidRequest {
				t.Errorf("%q is missing in %s: %s", s, f.Code, f.Text)
			}
		}
	}
	h := start(t, state(t), box(), tooLong(1500, words, summarising(say("Summary."), say("Answer."))))
	h.send("one")
	wait[TurnFinished](h)
	h.send("two " + long(3000))
	fails(h, "most of it is the message itself", "into a note")
	if n := len(h.model.of(llm.PurposeTurn)); n != 2 {
		t.Errorf("%d calls", n)
	}
	alone := start(t, state(t), box(), tooLong(0, words, say("Answer.")))
	alone.send("short")
	fails(alone, "nothing older")
	if n := len(alone.model.calls()); n != 1 {
		t.Errorf("%d calls", n)
	}
	// A model that refuses everything is tried twice.
	never := start(t, state(t), box(), summarising(say("Summary."), say("Answer. "+long(900)), tooLong(0, words, nil)))
	never.send("one " + long(300))
	wait[TurnFinished](never)
	never.send("two")
	fails(never, "also after older messages were left out")
	if turns, all := len(never.model.of(llm.PurposeTurn)), len(never.model.calls()); turns != 3 || all != 4 {
		t.Errorf("%d calls, %d in turns", all, turns)
	}
}

// TestContextLengthInALongStep: one step whose results alone are too long is sent shortened.
func TestContextLengthInALongStep(t *testing.T) {
	const window = 6000
	h := start(t, state(t), box(page(60_000)), tooLong(window, "maximum context length is 6000 tokens", summarising(say("Summary."),
		use("read_file", `{"path":"a.md"}`, "read_file", `{"path":"b.md"}`), say("Read."))))
	h.send("Read both.")
	if f := wait[TurnFinished](h); f.Response != "Read." {
		t.Fatalf("%+v", f)
	}
	calls := h.model.calls()
	if len(calls) != 3 || requestTokens(calls[1]) <= window || requestTokens(calls[2]) > window {
		t.Errorf("%d calls", len(calls))
	}
	text := told(calls[2])
	for _, want := range []string{"1: line 1 of a.md", "1: line 1 of b.md", "call read_file again with"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing", want)
		}
	}
}

// TestContextLengthVoidsWhatWasSaid: what a model had begun to say before is withdrawn.
func TestContextLengthVoidsWhatWasSaid(t *testing.T) {
	half := failWith(llm.Error{Kind: llm.KindInvalidRequest, Reason: llm.ReasonContextLength, Message: "context size exceeded"})
	h := start(t, state(t), box(), summarising(say("Summary."), say("Answer. "+long(900)), half, say("Whole.")))
	h.send("one")
	wait[TurnFinished](h)
	h.send("two")
	if r := wait[Retry](h); r.Attempt != 1 || r.Code != llm.KindInvalidRequest {
		t.Errorf("%+v", r)
	}
	if f := wait[TurnFinished](h); f.Response != "Whole." {
		t.Errorf("%+v", f)
	}
}

// TestSummaryThatCannotBeRecorded: asked for, it fails and nothing has changed; in a turn that
// needs it, it stands for that turn.
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
	wait[TurnFinished](h)
	files, err := filepath.Glob(filepath.Join(root.Name(), "conversations", "*.jsonl"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	file = files[0]
	if err := h.Compact(); err != nil {
		t.Fatal(err)
	}
	if f := wait[CompactFailed](h); !strings.Contains(f.Text, "could not be recorded") {
		t.Errorf("%+v", f)
	}
	if err := back(); err != nil {
		t.Fatal(err)
	}
	h.send("two")
	if n := wait[Notice](h); !strings.Contains(n.Text, "could not be recorded") {
		t.Errorf("%+v", n)
	}
	wait[Compacted](h)
	if f := wait[TurnFinished](h); f.Response != "two" || len(h.turns()) != 2 {
		t.Errorf("%+v, %d turns on record", f, len(h.turns()))
	}
}

// TestFailedCompactionStopsTheTurn: it fails with clear words, once, and the message stays.
func TestFailedCompactionStopsTheTurn(t *testing.T) {
	h := start(t, state(t), box(), summarising(failWith(llm.Error{Kind: llm.KindInvalidRequest, Message: "no summaries here"}), say("Answer. "+long(3000)), say("two"))).sized(4000)
	h.send("one")
	wait[TurnFinished](h)
	m := h.send("two")
	if f := wait[CompactFailed](h); !strings.Contains(f.Text, "no summaries here") || f.TurnID != m.ID {
		t.Errorf("%+v", f)
	}
	f := wait[TurnFailed](h)
	for _, want := range []string{"does not fit", "no summaries here", "/new"} {
		if !strings.Contains(f.Text, want) {
			t.Errorf("%q is missing in %s", want, f.Text)
		}
	}
	if calls := h.model.calls(); len(calls) != 2 || !slices.Equal(h.inboxIDs(), []string{m.ID}) {
		t.Errorf("%d calls, inbox %v", len(calls), h.inboxIDs())
	}
	h.NewConversation()
	h.send("three")
	if f := wait[TurnFinished](h); f.Response != "two" {
		t.Errorf("%+v", f)
	}
}

// TestCompactionIsWithinTheBudget: its usage counts, and a turn whose budget it spends ends with
// an account before the next call; with none left it is not begun.
func TestCompactionIsWithinTheBudget(t *testing.T) {
	spend := func(n int, r reply) reply { return withUsage(llm.Usage{PromptTokens: n}, r) }
	h := start(t, state(t), box(), summarising(spend(900, say("Summary.")), spend(10, say("Answer. "+long(3500))), say("never"))).sized(4000)
	h.opt.Budget = Budget{Tokens: 500}
	h.send("one")
	wait[TurnFinished](h)
	h.send("two")
	if f := wait[TurnFinished](h); f.StopReason != StopBudget || !strings.Contains(f.Response, "900 of 500") {
		t.Errorf("%+v", f)
	}
	if n := len(h.model.calls()); n != 2 {
		t.Errorf("%d calls", n)
	}
	u := UsageReported{}
	for _, e := range h.seen {
		if e, ok := e.(UsageReported); ok {
			u = e
		}
	}
	if u.Turn.Prompt != 900 || u.Conversation.Prompt != 910 {
		t.Errorf("%+v", u)
	}
}

// TestEndlessAnswer: it is cut, one repeat is kept, and the turn says so.
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
	writing := func(_ context.Context, _ llm.Request, yield func(llm.Chunk, error) bool) {
		d := llm.ToolCallDelta{ID: "1", Name: "edit_file", Arguments: `{"path":"a.md","new_text":"`}
		for yield(llm.Chunk{ToolCall: &d}, nil) {
			d = llm.ToolCallDelta{Arguments: block}
		}
	}
	h := start(t, state(t), box(edits), forever, say("fine"))
	h.send("one")
	f := wait[TurnFinished](h)
	if f.Response != block || f.StopReason != StopLoop || !ended {
		t.Errorf("%+v, the stream was ended: %v", f, ended)
	}
	if got := h.turns()[0].Messages; len(got) != 2 || got[1].Content != block {
		t.Errorf("on record: %+v", got)
	}
	shown := 0
	for _, e := range h.seen {
		switch e := e.(type) {
		case TextDelta:
			shown += len(e.Text)
		case TextDone:
			if e.Text != block {
				t.Errorf("%+v", e)
			}
		case UsageReported:
			if !e.Usage.Estimated || e.Usage.CompletionTokens < 11*tokens(block) { // what was cut off counts
				t.Errorf("%+v", e)
			}
		}
	}
	if shown > 40*len(block) || !slices.Contains(kinds(h.seen), "Notice") {
		t.Errorf("%d bytes were shown, %v", shown, kinds(h.seen))
	}
	h.send("two")
	if f := wait[TurnFinished](h); f.Response != "fine" {
		t.Errorf("%+v", f)
	}

	h = start(t, state(t), box(edits), thinking, say("fine"))
	h.send("one")
	if f := wait[TurnFinished](h); f.Response != "fine" || f.StopReason != StopCompleted {
		t.Errorf("after endless reasoning: %+v", f) // it is asked once more, like after an empty response
	}

	h = start(t, state(t), box(edits), writing, say("fine"))
	h.send("one")
	if f := wait[TurnFinished](h); f.Response != "fine" {
		t.Errorf("after an endless call: %+v", f)
	}
	last := h.model.calls()[1].Messages
	if m := last[len(last)-1]; !m.IsError || !strings.Contains(m.Content, "repeated itself without end") {
		t.Errorf("the model is told %+v", m)
	}
}

// TestSummaryOfARetriedTurn: a turn that failed and was summarised, and is then taken up again, is
// in the history after the summary.
func TestSummaryOfARetriedTurn(t *testing.T) {
	h := start(t, state(t), box(), summarising(say("It failed."), failWith(llm.Error{Kind: llm.KindInvalidRequest, Message: "no " + long(200)}), say("Done."), say("Next.")))
	m := h.send("do it")
	wait[TurnFailed](h)
	if err := h.Compact(); err != nil {
		t.Fatal(err)
	}
	wait[Compacted](h)
	if err := h.Retry(m.ID); err != nil {
		t.Fatal(err)
	}
	wait[TurnFinished](h)
	h.send("next")
	wait[TurnFinished](h)
	calls := h.model.of(llm.PurposeTurn)
	if text := told(calls[2]); !strings.Contains(text, "It failed.") || strings.Count(text, "user: do it") != 1 || !strings.Contains(text, "assistant: Done.") {
		t.Errorf("the model is told %s", text)
	}
}
