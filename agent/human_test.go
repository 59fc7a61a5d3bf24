package agent_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"iter"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"chatvault/agent"
	"chatvault/agent/event"
	"chatvault/agent/llm"
	"chatvault/conversation"
	"chatvault/tools"
)

// scripted is a model that answers each call with the next step, the last one again and again.
type scripted struct {
	name  string
	steps []step

	mu    sync.Mutex
	calls []llm.Request
}

// step is one answer: an error, tool calls ("name", "arguments" in turn), or text.
type step struct {
	err  *llm.Error
	use  []string
	text string
}

func use(calls ...string) step { return step{use: calls} }
func say(text string) step     { return step{text: text} }

func (s *scripted) Name() string { return s.name }

func (s *scripted) Stream(_ context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
	s.mu.Lock()
	s.calls = append(s.calls, req)
	next := s.steps[min(len(s.calls), len(s.steps))-1]
	s.mu.Unlock()
	return func(yield func(llm.Chunk, error) bool) {
		if next.err != nil {
			if yield(llm.Chunk{Text: "half "}, nil) {
				yield(llm.Chunk{}, next.err)
			}
			return
		}
		finish := llm.FinishStop
		for i := 0; i < len(next.use); i += 2 {
			finish = llm.FinishToolCalls
			d := llm.ToolCallDelta{Index: i / 2, ID: fmt.Sprintf("c%d", i), Name: next.use[i], Arguments: next.use[i+1]}
			if !yield(llm.Chunk{ToolCall: &d}, nil) {
				return
			}
		}
		if next.text == "" || yield(llm.Chunk{Text: next.text}, nil) {
			yield(llm.Chunk{Finish: finish}, nil)
		}
	}
}

// results are the texts of the tools in the newest call.
func (s *scripted) results() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []string
	for _, m := range s.calls[len(s.calls)-1].Messages {
		if m.Role == llm.RoleTool {
			out = append(out, m.Content)
		}
	}
	return out
}

// dialogue is a chain whose events are taken one by one.
type dialogue struct {
	*chain
	taken int // of events
}

// until takes events until done holds of one.
func (d *dialogue) until(t *testing.T, done func(event.Event) bool) event.Event {
	t.Helper()
	for {
		for d.taken < len(d.events) {
			d.taken++
			if e := d.events[d.taken-1]; done(e) {
				return e
			}
		}
		if _, err := d.await(func(event.Event) bool { return true }); err != nil {
			t.Fatal(err)
		}
	}
}

// asked is a chain whose model is scripted, attended and with approval = writes unless change
// says otherwise.
func asked(t *testing.T, steps []step, change ...func(*agent.Options)) (*dialogue, *scripted) {
	t.Helper()
	dir := t.TempDir()
	if err := newVault(dir); err != nil {
		t.Fatal(err)
	}
	return askedIn(t, dir, steps, change...)
}

// askedIn is one in a vault that is there.
func askedIn(t *testing.T, dir string, steps []step, change ...func(*agent.Options)) (*dialogue, *scripted) {
	t.Helper()
	m := &scripted{name: "scripted", steps: steps}
	attended := func(o *agent.Options) { o.Attended, o.Approval = true, event.ApprovalWrites }
	c, err := open(dir, func(*slog.Logger) (llm.Provider, error) { return m, nil }, append([]func(*agent.Options){attended}, change...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.close(); err != nil {
			t.Error(err)
		}
	})
	return &dialogue{chain: c}, m
}

// begin sends a message and waits for what its turn asks.
func (d *dialogue) begin(t *testing.T, text string) event.Requested {
	t.Helper()
	if _, err := d.p.Submit(context.Background(), event.Inbound{Text: text, Hold: true}); err != nil {
		t.Fatal(err)
	}
	return next[event.Requested](t, d)
}

// turn sends a message and takes events until its turn has ended; it returns the last.
func (d *dialogue) turn(t *testing.T, text string) event.Event {
	t.Helper()
	m, err := d.p.Submit(context.Background(), event.Inbound{Text: text, Hold: true})
	if err != nil {
		t.Fatal(err)
	}
	return d.until(t, func(e event.Event) bool { return isLast(e) && e.Header().TurnID == m.ID })
}

// next waits for an event of type E; one that ends the turn fails the test first.
func next[E event.Event](t *testing.T, c *dialogue) E {
	t.Helper()
	e := c.until(t, func(e event.Event) bool { _, ok := e.(E); return ok || isLast(e) })
	want, ok := e.(E)
	if !ok {
		t.Fatalf("the turn ended: %+v", e)
	}
	return want
}

func (d *dialogue) answer(t *testing.T, r event.Requested, a event.Answer) {
	t.Helper()
	if err := d.p.Answer(r.Request.ID, a); err != nil {
		t.Fatal(err)
	}
}

// vaultPrint is every byte of the notes, hashed; the program's own folder left out.
func (c *chain) vaultPrint(t *testing.T) string {
	t.Helper()
	sum := sha256.New()
	err := fs.WalkDir(os.DirFS(c.dir), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case name == ".smarthole":
			return fs.SkipDir
		}
		fmt.Fprintf(sum, "%q %v\n", name, d.Type())
		if !d.Type().IsRegular() {
			return nil
		}
		data, err := os.ReadFile(filepath.Join(c.dir, name))
		fmt.Fprintf(sum, "%d %s\n", len(data), data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return string(sum.Sum(nil))
}

func (c *chain) states() []event.State {
	var out []event.State
	for _, e := range c.events {
		if s, ok := e.(event.StateChanged); ok {
			out = append(out, s.State)
		}
	}
	return out
}

const overwrite = `{"path":"A.md","content":"new\n"}`

func TestAllowOnce(t *testing.T) {
	c, m := asked(t, []step{use("write_file", overwrite), use("write_file", `{"path":"a.md","content":"newer\n"}`), say("done")})
	before := c.vaultPrint(t)
	r := c.begin(t, "write")
	q := r.Request
	if q.Kind != event.RequestApproval || q.Change.Tool != "write_file" || q.Change.Kind != tools.ChangeOverwrite || q.Change.Path != "a.md" ||
		!q.Change.Destructive || !strings.Contains(q.Change.Diff, "-alpha\n+new") || !strings.Contains(q.Text, "approval = writes") {
		t.Errorf("asked %+v", q)
	}
	if s := c.states(); s[len(s)-1] != event.StateWaitingDecision || !c.p.Busy() || c.vaultPrint(t) != before {
		t.Errorf("while it waits: states %v", s)
	}
	time.Sleep(100 * time.Millisecond)
	c.answer(t, r, event.Answer{Decision: event.AllowOnce})
	if e := next[event.RequestEnded](t, c); e.ID != q.ID || e.Decision != event.AllowOnce {
		t.Errorf("%+v", e)
	}
	if e := next[event.ToolFinished](t, c); e.Duration >= 100*time.Millisecond {
		t.Errorf("the tool took %v: the user's time is not its own", e.Duration)
	}
	second := next[event.Requested](t, c) // once is once
	if second.Request.ID == q.ID {
		t.Error("the second request has the id of the first")
	}
	c.answer(t, second, event.Answer{Decision: event.AllowOnce})
	if e := next[event.TurnFinished](t, c); !e.Success || e.Response != "done" {
		t.Errorf("%+v", e)
	}
	if data, err := os.ReadFile(filepath.Join(c.dir, "a.md")); err != nil || string(data) != "newer\n" {
		t.Errorf("%q, %v", data, err)
	}
	want := []event.State{event.StateThinking, event.StateActing, event.StateWaitingDecision, event.StateActing, event.StateObserving}
	if got := c.states(); !slices.Equal(got[:len(want)], want) {
		t.Errorf("states %v", got)
	}
	if got := m.results(); len(got) != 2 || !strings.HasPrefix(got[0], "Overwrote") {
		t.Errorf("results %q", got)
	}
}

// TestDeny: nothing happens, byte for byte, and the model is told so in the user's words.
func TestDeny(t *testing.T) {
	for tool, args := range map[string]string{
		"write_file":    overwrite,
		"edit_file":     `{"path":"a.md","old_text":"alpha","new_text":"omega"}`,
		"move_file":     `{"source":"notes","destination":"deep/er"}`,
		"delete_file":   `{"path":"notes","recursive":true}`,
		"create_folder": `{"path":"x/y"}`,
	} {
		c, m := asked(t, []step{use(tool, args), say("as you like")})
		before := c.vaultPrint(t)
		r := c.begin(t, "change")
		c.answer(t, r, event.Answer{Decision: event.Deny, Note: "  keep my notes\x1b[2J\u202e "})
		if e := next[event.RequestEnded](t, c); e.Decision != event.Deny {
			t.Errorf("%s: %+v", tool, e)
		}
		next[event.TurnFinished](t, c)
		got := m.results()
		if len(got) != 1 || !strings.HasPrefix(got[0], "Error: The user denied this change and said: “keep my notes\x1b[2J\u202e” Nothing was changed.") {
			t.Errorf("%s: the model was told %q", tool, got)
		}
		if c.vaultPrint(t) != before {
			t.Errorf("%s: something happened", tool)
		}
	}
}

// TestAllowConversation: what was allowed is not asked about again, what was not is, and a new
// conversation begins without consent.
func TestAllowConversation(t *testing.T) {
	write := func(text string) step { return use("write_file", `{"path":"a.md","content":"`+text+`"}`) }
	c, _ := asked(t, []step{
		write("1"), write("2"), use("delete_file", `{"path":"b.md"}`), say("first"), write("3"), say("second"), write("4"), say("third"),
	})
	r := c.begin(t, "go")
	c.answer(t, r, event.Answer{Decision: event.AllowConversation})
	r = next[event.Requested](t, c)
	if r.Request.Change.Kind != tools.ChangeDelete {
		t.Fatalf("asked about %+v", r.Request.Change)
	}
	c.answer(t, r, event.Answer{Decision: event.AllowOnce})
	next[event.TurnFinished](t, c)
	e := c.turn(t, "again")
	if f, ok := e.(event.TurnFinished); !ok || f.Response != "second" {
		t.Errorf("the same conversation: %+v", e)
	}
	c.p.NewConversation()
	r = c.begin(t, "anew")
	c.answer(t, r, event.Answer{Decision: event.Deny})
	next[event.TurnFinished](t, c)
	if data, err := os.ReadFile(filepath.Join(c.dir, "a.md")); err != nil || string(data) != "3" {
		t.Errorf("%q, %v", data, err)
	}
}

// TestStopWhileWaiting: Stop ends the turn at once, withdraws the request and leaves nothing.
func TestStopWhileWaiting(t *testing.T) {
	c, _ := asked(t, []step{use("write_file", overwrite, "delete_file", `{"path":"b.md"}`), say("fine")})
	before := c.vaultPrint(t)
	r := c.begin(t, "write")
	began := time.Now()
	c.p.Stop()
	e := c.until(t, isLast)
	if s, ok := e.(event.TurnStopped); !ok || len(s.Changed) > 0 || time.Since(began) > 250*time.Millisecond {
		t.Errorf("%+v after %v", e, time.Since(began))
	}
	ended := slices.IndexFunc(c.events, func(e event.Event) bool {
		r, ok := e.(event.RequestEnded)
		return ok && r.Decision == event.Withdrawn
	})
	if ended < 0 || c.vaultPrint(t) != before {
		t.Errorf("not withdrawn, or something happened: %s", kinds(c.events))
	}
	if err := c.p.Answer(r.Request.ID, event.Answer{Decision: event.AllowOnce}); err == nil {
		t.Error("a withdrawn request took an answer")
	}
	e = c.turn(t, "next")
	if f, ok := e.(event.TurnFinished); !ok || f.Response != "fine" {
		t.Errorf("the next turn: %+v", e)
	}
}

// TestStopRacesWithAnswer lets Stop and the answer race: either the change happened and was
// allowed, or it did not happen.
func TestStopRacesWithAnswer(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long: make test runs it")
	}
	for range 30 {
		c, _ := asked(t, []step{use("write_file", overwrite), say("fine")})
		before := c.vaultPrint(t)
		r := c.begin(t, "write")
		var race sync.WaitGroup
		race.Go(func() { _ = c.p.Answer(r.Request.ID, event.Answer{Decision: event.AllowOnce}) })
		race.Go(c.p.Stop)
		race.Wait()
		c.until(t, isLast)
		allowed := slices.ContainsFunc(c.events, func(e event.Event) bool {
			r, ok := e.(event.RequestEnded)
			return ok && r.Decision == event.AllowOnce
		})
		if changed := c.vaultPrint(t) != before; changed && !allowed {
			t.Fatal("a change that was withdrawn happened")
		}
	}
}

// TestCloseWhileWaiting: the program ends; the message stays, and nothing was written.
func TestCloseWhileWaiting(t *testing.T) {
	c, _ := asked(t, []step{use("write_file", overwrite)})
	before := c.vaultPrint(t)
	c.begin(t, "write")
	began := time.Now()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := c.p.Close(ctx); err != nil || time.Since(began) > time.Second {
		t.Errorf("%v after %v", err, time.Since(began))
	}
	if in, err := c.inbox(); err != nil || len(in) != 1 || c.vaultPrint(t) != before {
		t.Errorf("inbox %v, %v", in, err)
	}
}

// TestApprovalWithoutAUser checks that a change that needs approval is denied at once, with a notice, if no person can be
// asked.
func TestApprovalWithoutAUser(t *testing.T) {
	c, m := asked(t, []step{use("write_file", overwrite), say("I could not.")}, func(o *agent.Options) { o.Attended = false })
	before := c.vaultPrint(t)
	c.turn(t, "write")
	if got := m.results(); len(got) != 1 || !strings.HasPrefix(got[0], "Error: Not allowed: this change needs the user's consent, and there is no way to ask for it here. Nothing was changed.") {
		t.Errorf("the model was told %q", got)
	}
	var seen []string
	for _, e := range c.events {
		switch e := e.(type) {
		case event.Requested:
			seen = append(seen, "asked "+e.Request.ID+" "+e.Request.Change.Path)
			if err := c.p.Answer(e.Request.ID, event.Answer{Decision: event.AllowOnce}); err == nil {
				t.Error("it took an answer")
			}
		case event.RequestEnded:
			seen = append(seen, "ended "+e.ID+" "+string(e.Decision))
		}
	}
	if len(seen) != 2 || !strings.HasSuffix(seen[0], "a.md") || !strings.HasSuffix(seen[1], " deny") || slices.Contains(c.states(), event.StateWaitingDecision) {
		t.Errorf("%q, states %v", seen, c.states())
	}
	if c.vaultPrint(t) != before {
		t.Error("something happened")
	}
}

// TestRouted: who sends a message from elsewhere cannot have it consented to here; the program's
// own message toward a goal can.
func TestRouted(t *testing.T) {
	c, m := asked(t, []step{use("write_file", overwrite), say("no"), use("write_file", overwrite), say("yes")})
	before := c.vaultPrint(t)
	routed, err := c.p.Submit(context.Background(), event.Inbound{Text: "write", Source: event.SourceWebSocket})
	if err != nil {
		t.Fatal(err)
	}
	e := c.until(t, func(e event.Event) bool { return isLast(e) && e.Header().TurnID == routed.ID })
	if _, ok := e.(event.TurnFinished); !ok {
		t.Errorf("%+v", e)
	}
	if got := m.results(); len(got) != 1 || !strings.Contains(got[0], "cannot be given for a request from another program") || c.vaultPrint(t) != before {
		t.Errorf("the model was told %q", got)
	}
	var ends []event.Decision // it is shown, and over at once
	for _, e := range c.events {
		if e, ok := e.(event.RequestEnded); ok {
			ends = append(ends, e.Decision)
		}
	}
	if !slices.Equal(ends, []event.Decision{event.Deny}) {
		t.Errorf("the change was shown with %q", ends)
	}
	if _, err := c.p.Submit(context.Background(), event.Inbound{Text: "go on", Source: event.SourceGoal}); err != nil {
		t.Fatal(err)
	}
	c.answer(t, next[event.Requested](t, c), event.Answer{Decision: event.AllowOnce})
	next[event.TurnFinished](t, c)
	if c.vaultPrint(t) == before {
		t.Error("what was allowed did not happen")
	}
}

// TestNotAsked: consent given beforehand, and changes the policy lets pass.
func TestNotAsked(t *testing.T) {
	calls := []step{use("create_folder", `{"path":"x"}`, "write_file", `{"path":"c.md","content":"c"}`, "move_file", `{"source":"c.md","destination":"d.md"}`,
		"edit_file", `{"path":"a.md","old_text":"alpha","new_text":"omega"}`), say("done")}
	for name, change := range map[string]func(*agent.Options){
		"off":         func(o *agent.Options) { o.Approval = event.ApprovalOff },
		"destructive": func(o *agent.Options) { o.Approval = event.ApprovalDestructive },
		"approve all": func(o *agent.Options) { o.ApproveAll, o.Attended = true, false },
	} {
		c, _ := asked(t, calls, change)
		e := c.turn(t, "go")
		if f, ok := e.(event.TurnFinished); !ok || slices.ContainsFunc(c.events, func(e event.Event) bool { _, ok := e.(event.Requested); return ok }) {
			t.Errorf("%s: %+v", name, f)
		}
		if data, err := os.ReadFile(filepath.Join(c.dir, "a.md")); err != nil || string(data) != "# A\nomega\n" {
			t.Errorf("%s: %q, %v", name, data, err)
		}
	}
}

// TestAnswers: an answer that is none leaves the request waiting; of several at once one counts.
func TestAnswers(t *testing.T) {
	c, _ := asked(t, []step{use("write_file", overwrite), say("done")})
	if err := c.p.Answer("nobody", event.Answer{Decision: event.AllowOnce}); err == nil {
		t.Error("an unknown request took an answer")
	}
	r := c.begin(t, "write")
	for _, a := range []event.Answer{{}, {Decision: event.Provide, Value: "x"}, {Decision: event.Withdrawn}, {Decision: "yes"}} {
		if err := c.p.Answer(r.Request.ID, a); err == nil {
			t.Errorf("%+v was taken", a)
		}
	}
	var mu sync.Mutex
	var group sync.WaitGroup
	taken := 0
	for range 8 {
		group.Go(func() {
			if c.p.Answer(r.Request.ID, event.Answer{Decision: event.AllowOnce}) == nil {
				mu.Lock()
				taken++
				mu.Unlock()
			}
		})
	}
	group.Wait()
	next[event.TurnFinished](t, c)
	if taken != 1 {
		t.Errorf("%d answers were taken", taken)
	}
}

// TestApprovalChangesInAnOpenedConversation: who turns asking on is asked from the next change on, also in the
// turn that runs, and who turns it off is asked no more.
func TestApprovalChangesInAnOpenedConversation(t *testing.T) {
	write := func(name string) step { return use("write_file", `{"path": "`+name+`", "content": "x"}`) }
	d, _ := asked(t, []step{use("delete_file", `{"path": "a.md"}`), write("x.md"), write("y.md"), say("done")}, func(o *agent.Options) {
		o.Approval = event.ApprovalDestructive
		o.Conversations = conversation.NewManager(o.Root, conversation.Options{})
		if _, err := o.Conversations.Open(conversation.NewID(time.Now()), time.Now()); err != nil {
			t.Fatal(err)
		}
	})
	r := d.begin(t, "delete, write twice")
	if r.Request.Change.Path != "a.md" || r.Request.Change.Kind != tools.ChangeDelete {
		t.Fatalf("asked about %+v", r.Request.Change)
	}
	if err := d.p.SetApproval(event.ApprovalWrites); err != nil {
		t.Fatal(err)
	}
	d.answer(t, r, event.Answer{Decision: event.AllowOnce})
	if r = next[event.Requested](t, d); r.Request.Change.Path != "x.md" {
		t.Fatalf("asked about %+v", r.Request.Change)
	}
	if err := d.p.SetApproval(event.ApprovalOff); err != nil {
		t.Fatal(err)
	}
	d.answer(t, r, event.Answer{Decision: event.AllowOnce})
	last := d.until(t, func(e event.Event) bool {
		switch e.(type) {
		case event.Requested, event.TurnFinished:
			return true
		}
		return false
	})
	if _, ended := last.(event.TurnFinished); !ended {
		t.Errorf("asked once more: %+v", last)
	}
}

// TestApprovalIsSwitched: what waits is switched while a turn runs, and counts from its next change on.
func TestApprovalIsSwitched(t *testing.T) {
	mkdir := func(name string) step { return use("create_folder", `{"path":"`+name+`"}`) }
	c, _ := asked(t, []step{
		use("create_folder", `{"path":"one"}`, "create_folder", `{"path":"two"}`), mkdir("three"), mkdir("four"), say("done"),
		say("1. Make five."), mkdir("five"), use("delete_file", `{"path":"five"}`), mkdir("six"), say("made"),
	})
	there := func(name string, want bool) {
		t.Helper()
		if _, err := os.Stat(filepath.Join(c.dir, name)); (err == nil) != want {
			t.Errorf("%s: %v, want it there: %v", name, err, want)
		}
	}
	answer := func(r event.Requested, a event.Answer) {
		t.Helper()
		if err := c.p.Answer(r.Request.ID, a); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.p.SetApproval("never"); err == nil {
		t.Error("there is no such mode")
	}
	first := c.begin(t, "make folders")
	answer(first, event.Answer{Decision: event.AllowConversation}) // forgotten, where the mode changes
	if err := c.p.SetApproval(event.ApprovalOff); err != nil {
		t.Fatal(err)
	}
	if e := next[event.ApprovalChanged](t, c); e.Approval != event.ApprovalOff || c.p.Approval() != event.ApprovalOff {
		t.Errorf("%+v", e)
	}
	next[event.TurnFinished](t, c)
	for _, name := range []string{"one", "two", "three", "four"} {
		there(name, true)
	}
	if err := c.p.SetApproval(event.ApprovalPlan); err != nil {
		t.Fatal(err)
	}
	if _, err := c.p.Submit(context.Background(), event.Inbound{Text: "make five"}); err != nil {
		t.Fatal(err)
	}
	if f := next[event.TurnFinished](t, c); f.StopReason != event.StopWaiting {
		t.Errorf("no plan was made: %+v", f)
	}
	r := c.begin(t, "Carry it out")
	if r.Request.Change.Kind != tools.ChangeDelete {
		t.Errorf("asked about %+v", r.Request.Change)
	}
	there("five", true)
	if err := c.p.SetApproval(event.ApprovalPlan); err != nil { // anew, while the plan is carried out
		t.Fatal(err)
	}
	answer(r, event.Answer{Decision: event.Deny})
	next[event.TurnFinished](t, c)
	there("six", false)
}
