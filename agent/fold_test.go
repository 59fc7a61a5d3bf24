package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"chatvault/agent/event"
	"chatvault/agent/inbox"
	"chatvault/agent/llm"
	"chatvault/conversation"
	"chatvault/tools"
)

// gated is a tool that says when it runs, and ends when it is let.
type gated struct {
	fakeTool
	running chan struct{}
	end     chan struct{}
}

func newGated(name string) gated {
	g := gated{running: make(chan struct{}, 10), end: make(chan struct{}, 10)}
	g.fakeTool = fakeTool{name: name, call: func(ctx context.Context, _ json.RawMessage) tools.Result {
		g.running <- struct{}{}
		select {
		case <-g.end:
			return tools.Result{Text: "Done."}
		case <-ctx.Done():
			return tools.Result{Text: "Error: stopped", IsError: true}
		}
	}}
	return g
}

// userTexts are what the user said, of a history as the model got it.
func userTexts(messages []llm.Message) (texts []string) {
	for _, m := range messages {
		if m.Role == llm.RoleUser {
			texts = append(texts, m.Content)
		}
	}
	return texts
}

// TestFolding: what is typed while a turn runs reaches the model at its next step, in order,
// with its time; what is held, routed or taken back does not.
func TestFolding(t *testing.T) {
	work := newGated("write_file")
	h := start(t, state(t), box(work.fakeTool), use("write_file", `{}`), say("all done"), say("held done"))
	one := h.send("one")
	<-work.running
	held := h.hold("held")
	sent := time.Date(2026, 5, 6, 7, 8, 9, 0, time.UTC)
	two := h.submit(event.Inbound{Text: "two", Time: sent})
	gone := h.send("gone")
	three := h.send("three")
	if _, ok := h.TakeBack(gone.ID); !ok {
		t.Error("a message that waits cannot be taken back")
	}
	work.end <- struct{}{}
	if f := wait[event.Folded](h); !slices.Equal(f.MessageIDs, []string{two.ID, three.ID}) || f.TurnID != one.ID {
		t.Errorf("folded %+v", f)
	}
	if _, ok := h.TakeBack(two.ID); ok {
		t.Error("a message in the turn was taken back")
	}
	if f := wait[event.TurnFinished](h); f.MessageID != one.ID || f.Response != "all done" {
		t.Errorf("%+v", f)
	}
	if s := wait[event.TurnStarted](h); !slices.Equal(s.MessageIDs, []string{held.ID}) {
		t.Errorf("the next turn takes %v", s.MessageIDs)
	}
	wait[event.TurnFinished](h)

	second := h.model.calls()[1].Messages
	n := len(second)
	if second[n-3].Role != llm.RoleTool || second[n-2].Content != "two" || second[n-1].Content != "three" {
		t.Errorf("sent %+v", second[n-3:])
	}
	if p := second[n-2].Prompt(); !strings.Contains(p, "2026-05-06 07:08") || !strings.Contains(p, "while you were working") {
		t.Errorf("the folded message is sent as %q", p)
	}
	third := h.model.calls()[2].Messages
	if got := userTexts(third); !slices.Equal(got, []string{"one", "two", "three", "held"}) {
		t.Errorf("the next turn is sent %v", got)
	}
	if ids := h.inboxIDs(); len(ids) > 0 || len(h.turns()) != 2 {
		t.Errorf("inbox %v, %d turns", ids, len(h.turns()))
	}
}

// TestFoldingRules: a turn of the user's, or toward the goal, takes typed messages that
// are not held; a routed one takes none.
func TestFoldingRules(t *testing.T) {
	for _, c := range []struct {
		first, second event.Inbound
		folds         bool
	}{
		{event.Inbound{}, event.Inbound{}, true},
		{event.Inbound{Mode: event.ModePlan}, event.Inbound{}, true},
		{event.Inbound{Source: event.SourceGoal}, event.Inbound{}, true},
		{event.Inbound{Source: event.SourceWebSocket}, event.Inbound{}, false},
		{event.Inbound{}, event.Inbound{Hold: true}, false},
		{event.Inbound{}, event.Inbound{Mode: event.ModePlan}, false},
		{event.Inbound{}, event.Inbound{Source: event.SourceWebSocket}, false},
		{event.Inbound{}, event.Inbound{Source: event.SourceGoal}, false},
	} {
		look := newGated("list_files")
		look.readOnly = true
		h := start(t, state(t), box(look.fakeTool), use("list_files", `{}`), say("done"))
		c.first.Text, c.second.Text = "first", "second"
		h.submit(c.first)
		<-look.running
		h.submit(c.second)
		look.end <- struct{}{}
		wait[event.TurnFinished](h)
		folded := slices.Contains(userTexts(h.model.calls()[1].Messages), "second")
		if folded != c.folds {
			t.Errorf("%+v into %+v: %v", c.second, c.first, folded)
		}
		h.stop()
	}
}

// TestNothingFoldsIntoTheOldConversation: what is sent after /new begins the new one.
func TestNothingFoldsIntoTheOldConversation(t *testing.T) {
	work := newGated("write_file")
	h := start(t, state(t), box(work.fakeTool), use("write_file", `{}`), say("old"), say("new"))
	h.send("one")
	<-work.running
	h.NewConversation()
	h.send("two")
	work.end <- struct{}{}
	first, second := wait[event.TurnFinished](h), wait[event.TurnFinished](h)
	if first.ConversationID == second.ConversationID || !slices.Equal(userTexts(h.model.calls()[2].Messages), []string{"two"}) {
		t.Errorf("%+v then %+v, sent %v", first, second, userTexts(h.model.calls()[2].Messages))
	}
}

// TestStopWithFolded: what was folded in is stopped together with the first message, and the
// next turn is told so; what came after the stop is worked on.
func TestStopWithFolded(t *testing.T) {
	work := newGated("write_file")
	h := start(t, state(t), box(work.fakeTool), use("write_file", `{}`), hang, say("fine"))
	one := h.send("one")
	<-work.running
	two := h.send("two")
	work.end <- struct{}{}
	wait[event.Folded](h)
	h.until(func(e event.Event) bool { _, ok := e.(event.TextDelta); return ok })
	h.Stop()
	h.send("three")
	if s := wait[event.TurnStopped](h); !slices.Equal(s.MessageIDs, []string{one.ID, two.ID}) {
		t.Errorf("%+v", s)
	}
	if f := wait[event.TurnFinished](h); f.Response != "fine" {
		t.Errorf("%+v", f)
	}
	last := h.model.calls()[2].Messages
	if got := last[len(last)-1].Prompt(); !strings.Contains(got, "stopped the previous request (“one\n\ntwo”)") || len(h.inboxIDs()) > 0 {
		t.Errorf("the next turn is sent %q, inbox %v", got, h.inboxIDs())
	}
}

// TestNothingFoldsIntoAStoppedTurn: a message sent after Esc, while a tool still ends, is
// worked on in the next turn.
func TestNothingFoldsIntoAStoppedTurn(t *testing.T) {
	running, end := make(chan struct{}), make(chan struct{})
	deaf := fakeTool{name: "write_file", call: func(context.Context, json.RawMessage) tools.Result {
		close(running)
		<-end
		return tools.Result{Text: "Created."}
	}}
	h := start(t, state(t), box(deaf), use("write_file", `{}`), say("fine"))
	one := h.send("one")
	<-running
	h.Stop()
	h.send("two")
	close(end)
	if s := wait[event.TurnStopped](h); !slices.Equal(s.MessageIDs, []string{one.ID}) {
		t.Errorf("%+v", s)
	}
	if f := wait[event.TurnFinished](h); f.Response != "fine" {
		t.Errorf("%+v", f)
	}
}

// TestFailureWithFolded: all messages of the turn stay, know what was changed, and are taken up
// again one by one, without the model being left to repeat anything.
func TestFailureWithFolded(t *testing.T) {
	work := newGated("write_file")
	with := func(m tools.Messenger) Toolbox {
		b, _ := box(work.fakeTool)(m).(fakeBox)
		b.changes = func() []string { return []string{"created a.md"} }
		return b
	}
	root := state(t)
	h := start(t, root, with, use("write_file", `{}`), failWith(llm.Error{Kind: llm.KindAuth}), failWith(llm.Error{Kind: llm.KindAuth}), say("one done"), say("two done"))
	one := h.send("one")
	<-work.running
	two := h.send("two")
	work.end <- struct{}{}
	if f := wait[event.TurnFailed](h); !slices.Equal(f.MessageIDs, []string{one.ID, two.ID}) {
		t.Errorf("%+v", f)
	}
	for _, id := range []string{one.ID, two.ID} {
		e, err := inbox.Open(root).Load(id)
		if err != nil || !e.ToolsRan || e.Attempts != 1 || e.Deaths != 0 || e.LastError == "" || !slices.Equal(e.Changes, []string{"created a.md"}) {
			t.Errorf("kept %+v, %v", e, err)
		}
	}
	if got := listed(t, h.Processor); !slices.Equal(got, []string{one.ID, two.ID}) {
		t.Errorf("offered %v", got)
	}

	// An attempt that fails before it does anything forgets nothing of the one before.
	nothing := func(m tools.Messenger) Toolbox { return box()(m) }
	h.opt.Tools = nothing
	if err := h.Retry(one.ID); err != nil {
		t.Fatal(err)
	}
	wait[event.TurnFailed](h)
	for _, id := range []string{one.ID, two.ID} {
		if err := h.Retry(id); err != nil {
			t.Fatal(err)
		}
	}
	for i, want := range []string{"one done", "two done"} {
		if f := wait[event.TurnFinished](h); f.Response != want {
			t.Errorf("%+v", f)
		}
		sent := h.model.calls()[3+i].Messages
		if got := sent[len(sent)-1].Prompt(); !strings.Contains(got, "created a.md. Do not repeat it.") {
			t.Errorf("retry %d is sent %q", i, got)
		}
	}
	if ids := h.inboxIDs(); len(ids) > 0 {
		t.Errorf("inbox: %v", ids)
	}
}

// TestQuestionBeforeWhatWaits: a message sent before the question was shown is not its answer.
func TestQuestionBeforeWhatWaits(t *testing.T) {
	work := newGated("write_file")
	h := start(t, state(t), box(work.fakeTool),
		use("write_file", `{}`, sendMessage, `{"message":"Which one?","is_question":true}`),
		use(sendMessage, `{"message":"Which of the two?","is_question":true}`), say("thanks"))
	h.send("one")
	<-work.running
	h.send("two")
	work.end <- struct{}{}
	if f := wait[event.TurnFinished](h); f.StopReason != event.StopWaiting {
		t.Errorf("%+v", f)
	}
	if f := wait[event.TurnFinished](h); f.StopReason != event.StopWaiting || f.Response != "Which of the two?" {
		t.Errorf("%+v", f)
	}
	sent := h.model.calls()[1].Messages
	if got := sent[len(sent)-1].Prompt(); !strings.HasPrefix(got, "two") || !strings.Contains(got, "before seeing the question") {
		t.Errorf("sent %q", got)
	}
	h.send("the first")
	wait[event.TurnFinished](h)
	sent = h.model.calls()[2].Messages
	if got := sent[len(sent)-1].Prompt(); !strings.Contains(got, "“Which of the two?” This message is most likely the answer") {
		t.Errorf("sent %q", got)
	}
}

// TestTakeBackRacesWithFold: of taking a message back and folding it in, one wins.
func TestTakeBackRacesWithFold(t *testing.T) {
	look := tool("list_files", true, "none")
	var replies []reply
	for range 400 {
		replies = append(replies, use("list_files", `{}`), say("done"))
	}
	h := start(t, state(t), box(look), replies...)
	folded, back := map[string]bool{}, map[string]bool{}
	won := [2]int{}
	for round := range 150 {
		h.send("go")
		var mu sync.Mutex
		var ids []string
		var wg sync.WaitGroup
		for i := range 4 {
			wg.Go(func() {
				m := h.send(fmt.Sprint(round, ".", i))
				mu.Lock()
				ids = append(ids, m.ID)
				mu.Unlock()
				time.Sleep(time.Duration(round%10*20) * time.Microsecond)
				if _, ok := h.TakeBack(m.ID); ok {
					mu.Lock()
					back[m.ID] = true
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		for h.Busy() || slices.ContainsFunc(ids, h.knows) {
			time.Sleep(50 * time.Microsecond)
		}
	}
	h.send("end")
	h.until(func(e event.Event) bool {
		switch e := e.(type) {
		case event.TurnStarted:
			for _, id := range e.MessageIDs {
				folded[id] = true
			}
		case event.Folded:
			for _, id := range e.MessageIDs {
				if folded[id] {
					t.Errorf("%s is in two turns", id)
				}
				folded[id] = true
				won[0]++
			}
		case event.Received:
			return e.Message.Text == "end"
		}
		return false
	})
	wait[event.TurnFinished](h)
	recorded := recordedIDs(t, h.root)
	for id := range back {
		won[1]++
		if folded[id] || recorded[id] > 0 {
			t.Errorf("%s was taken back and worked on", id)
		}
	}
	for id := range folded {
		if recorded[id] != 1 {
			t.Errorf("%s is recorded %d times", id, recorded[id])
		}
	}
	if won[0] == 0 || won[1] == 0 {
		t.Errorf("no race: %d folded, %d taken back", won[0], won[1])
	}
	if ids := h.inboxIDs(); len(ids) > 0 {
		t.Errorf("inbox: %v", ids)
	}
}

// TestFoldedAreRecordedOnce: the conversation on disk says of a folded message that it was
// answered, also when it is read anew.
func TestFoldedAreRecordedOnce(t *testing.T) {
	work := newGated("write_file")
	root := state(t)
	h := start(t, root, box(work.fakeTool), use("write_file", `{}`), say("done"))
	h.send("one")
	<-work.running
	two := h.send("two")
	work.end <- struct{}{}
	wait[event.TurnFinished](h)
	m := conversation.NewManager(root, conversation.Options{})
	if done, err := m.Answered(two.ID, time.Now().Add(-time.Minute)); err != nil || !done {
		t.Errorf("answered: %v, %v", done, err)
	}
	if recordedIDs(t, root)[two.ID] != 1 {
		t.Errorf("recorded %v", recordedIDs(t, root))
	}
}
