package agent

import (
	"context"
	"encoding/json"
	"iter"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"chatvault/agent/event"
	"chatvault/agent/goal"
	"chatvault/agent/inbox"
	"chatvault/agent/llm"
	"chatvault/agent/prompts"
	"chatvault/agent/spend"
	"chatvault/conversation"
	"chatvault/tools"
)

// checker is a model whose checks of the goal are answered apart from its turns.
type checker struct {
	fakeModel
	checks fakeModel
}

func (c *checker) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
	if req.Purpose == llm.PurposeGoalCheck {
		return c.checks.Stream(ctx, req)
	}
	return c.fakeModel.Stream(ctx, req)
}

// toward starts a processor whose model answers turns and checks with these.
func toward(t *testing.T, root *os.Root, turns, checks []reply, change func(*Options)) (*harness, *checker) {
	t.Helper()
	model := &checker{fakeModel{t: t, replies: turns}, fakeModel{t: t, replies: checks}}
	opt := Options{
		Root: root, Vault: root, Agreed: agreeAll, Goals: Goals{GoalMaxTurns: 4},
		Tools: box(fakeTool{name: "write_file", call: func(context.Context, json.RawMessage) tools.Result {
			return tools.Result{Text: "done", Summary: "written"}
		}}),
		Conversations: conversation.NewManager(root, conversation.Options{}),
		Agent:         Agent{Provider: model, MaxRounds: 3, Retry: llm.RetryPolicy{time.Millisecond}},
		Vars:          func(context.Context) prompts.Vars { return prompts.Vars{VaultName: "Test"} },
	}
	if change != nil {
		change(&opt)
	}
	p, err := New(opt)
	if err != nil {
		t.Fatal(err)
	}
	h := &harness{Processor: p, t: t, root: root, model: &model.fakeModel, sub: p.Subscribe()}
	t.Cleanup(h.stop)
	return h, model
}

// goal takes events until the goal stands so, and returns it.
func (h *harness) goal(want event.GoalStatus) event.Goal {
	h.t.Helper()
	e, _ := h.until(func(e event.Event) bool { g, ok := e.(event.GoalChanged); return ok && g.Goal.Status == want }).(event.GoalChanged)
	return e.Goal
}

// set sets a goal and sends it, as the screen does.
func (h *harness) set(text string) {
	h.t.Helper()
	if g, err := h.SetGoal(text); err != nil || g.Text != text || g.Status != event.GoalActive {
		h.t.Fatal(g, err)
	}
	h.send(text)
}

// idle waits until nothing is under way, and checks that nothing is left behind.
func (h *harness) idle() {
	h.t.Helper()
	for range 500 {
		h.schedule.mu.Lock()
		idle := h.running == nil && len(h.queue) == 0 && !h.due()
		h.schedule.mu.Unlock()
		if idle {
			return
		}
		time.Sleep(time.Millisecond)
	}
	h.t.Fatal("the processor does not come to rest")
}

var write = use("write_file", `{}`)

func TestGoalIsPursuedUntilItIsMet(t *testing.T) {
	h, model := toward(t, state(t),
		[]reply{write, say("Tagged a.md."), write, say("Tagged b.md, too.")},
		[]reply{say("NOT MET: b.md has no tags"), say("**MET:** all notes have tags")}, nil)
	h.set("tag all notes")
	if g := h.goal(event.GoalMet); g.Turns != 2 || g.MaxTurns != 4 || g.Why != "all notes have tags" {
		t.Errorf("met: %+v", g)
	}
	h.idle()
	var changes []string
	for _, e := range h.seen {
		switch e := e.(type) {
		case event.GoalChanged:
			changes = append(changes, string(e.Goal.Status)+" "+e.Goal.Why)
		case event.Received:
			changes = append(changes, "received "+string(e.Message.Source)+": "+e.Message.Text)
		case event.TurnFinished:
			changes = append(changes, "answered "+e.Response)
		}
	}
	want := []string{
		"active ", "received direct: tag all notes", "active ", "checking ", "answered Tagged a.md.",
		"active b.md has no tags", "received goal: Keep working toward the goal. Not met yet: b.md has no tags",
		"active b.md has no tags", "checking b.md has no tags", "answered Tagged b.md, too.", "met all notes have tags",
	}
	if !slices.Equal(changes, want) {
		t.Errorf("changes\n%s", strings.Join(changes, "\n"))
	}
	// The model is told of the goal and its progress beside the message, the check of what was done.
	first, second := h.model.calls()[0].Messages, h.model.calls()[2].Messages
	if got := first[len(first)-1].Context; !strings.HasPrefix(got, "Goal (turn 1 of 4): “tag all notes”\nWork toward") {
		t.Errorf("first turn: %q", got)
	}
	if got := second[len(second)-1].Context; !strings.HasPrefix(got, "Goal (turn 2 of 4): “tag all notes”\nWhen it was last checked it was not met: b.md has no tags\nWork toward") {
		t.Errorf("second turn: %q", got)
	}
	if first[0].Content != second[0].Content {
		t.Error("the system prompt changed")
	}
	check := model.checks.calls()[1]
	if len(check.Tools) > 0 || !strings.HasPrefix(check.Messages[0].Content, "An agent is working toward a goal") {
		t.Errorf("the check: %+v", check)
	}
	wantAccount := `Goal:
> tag all notes

Turns that worked toward it so far: 2.

<conversation>
User: tag all notes
Call: write_file {}
Result of write_file: done
Assistant: Tagged a.md.
Program: Keep working toward the goal. Not met yet: b.md has no tags
Call: write_file {}
Result of write_file: done
Assistant: Tagged b.md, too.
</conversation>

Nothing was changed.`
	if got := check.Messages[1].Content; got != wantAccount {
		t.Errorf("the account is\n%s", got)
	}
	if ids := h.inboxIDs(); len(ids) > 0 {
		t.Errorf("left in the inbox: %v", ids)
	}
	if turns := h.turns(); len(turns) != 2 || turns[1].Messages[0].Source != string(event.SourceGoal) {
		t.Errorf("turns %+v", turns)
	}
	// What the checks used counts, in their turns too.
	var totals event.Totals
	for _, e := range h.seen {
		if u, ok := e.(event.UsageReported); ok {
			totals = u.Turn
		}
	}
	if totals.Calls != 3 {
		t.Errorf("the last turn and its check made %d calls", totals.Calls)
	}
	day, _, err := h.Usage()
	if err != nil || day.Calls != 6 {
		t.Errorf("usage %+v, %v", day, err)
	}
}

func TestGoalIsPaused(t *testing.T) {
	not := say("NOT MET: something is missing")
	for _, c := range []struct {
		name    string
		turns   []reply
		checks  []reply
		options func(*Options)
		why     string
		turn    int // at which it is paused
	}{
		{"at its limit", []reply{write, say("a")}, []reply{not}, func(o *Options) { o.GoalMaxTurns = 1 }, "it reached its limit of turns (goal_max_turns = 1); not met yet: something is missing", 1},
		{"when a check fails", []reply{say("a")}, []reply{failWith(llm.Error{Kind: llm.KindAuth})}, nil, "it could not be checked: API key", 1},
		{"when a check is not clear", []reply{write, say("a")}, []reply{say("hm")}, nil, goal.WhyUnknown, 1},
		{"when a turn fails", []reply{failWith(llm.Error{Kind: llm.KindAuth})}, []reply{not}, nil, "the turn failed: API key", 0},
		{"over the budget", []reply{write}, []reply{not}, func(o *Options) { o.Budget = spend.Budget{Tokens: 1} }, goal.WhyBudget, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			h, _ := toward(t, state(t), c.turns, c.checks, c.options)
			h.set("tag all notes")
			g := h.goal(event.GoalPaused)
			if !strings.HasPrefix(g.Why, c.why) || g.Turns != c.turn || h.Goal() != g {
				t.Errorf("paused: %+v", g)
			}
			h.idle()
		})
	}
}

// A question leaves the goal as it is; its answer goes on with it.
func TestGoalWaitsForAnAnswer(t *testing.T) {
	h, model := toward(t, state(t),
		[]reply{use(sendMessage, `{"message":"Which tag?","is_question":true}`), write, say("Done.")}, []reply{say("MET: done")}, nil)
	h.set("tag all notes")
	if f := wait[event.TurnFinished](h); !f.IsWaitingForResponse {
		t.Fatalf("%+v", f)
	}
	h.idle()
	if g := h.Goal(); g.Status != event.GoalActive || g.Turns != 1 || len(model.checks.calls()) > 0 {
		t.Errorf("while it waits: %+v, %d checks", g, len(model.checks.calls()))
	}
	h.send("garden")
	if g := h.goal(event.GoalMet); g.Turns != 2 {
		t.Errorf("%+v", g)
	}
}

// Stop ends a turn toward the goal, and the check after it; either pauses the goal, and the
// user's next message resumes it.
func TestStopPausesTheGoal(t *testing.T) {
	for _, c := range []struct {
		name          string
		turns, checks []reply
		at            func(event.Event) bool
	}{
		{"in a turn", []reply{hang, say("Done.")}, []reply{say("MET")}, func(e event.Event) bool { _, ok := e.(event.TextDelta); return ok }},
		{"in a check", []reply{say("Done.")}, []reply{hang, say("MET")}, func(e event.Event) bool { _, ok := e.(event.TurnFinished); return ok }},
	} {
		t.Run(c.name, func(t *testing.T) {
			h, model := toward(t, state(t), c.turns, c.checks, nil)
			h.set("tag all notes")
			h.until(c.at)
			for c.name == "in a check" && len(model.checks.calls()) == 0 { // else the next check would be the one that hangs
				time.Sleep(time.Millisecond)
			}
			began := time.Now()
			h.Stop()
			if g := h.goal(event.GoalPaused); g.Why != goal.WhyStopped || time.Since(began) > 250*time.Millisecond {
				t.Errorf("%+v after %v", g, time.Since(began))
			}
			if err := h.ResumeGoal(); err != nil { // at once, while the stop is still under way
				t.Error(err)
			}
			h.goal(event.GoalMet)
		})
	}
}

// A turn that was stopped in its last moment, when it was done already, leads to no check.
func TestStopBetweenTurnAndCheck(t *testing.T) {
	var h *harness
	h, model := toward(t, state(t), []reply{say("Done.")}, []reply{say("MET")}, func(o *Options) {
		o.step = func(s string) {
			if s == "recorded" {
				h.Stop()
			}
		}
	})
	h.set("tag all notes")
	if g := h.goal(event.GoalPaused); g.Why != goal.WhyStopped || len(model.checks.calls()) > 0 {
		t.Errorf("%+v, %d checks", g, len(model.checks.calls()))
	}
}

// A message of the user cancels the check, which is made after that message's turn.
func TestMessageComesBeforeTheCheck(t *testing.T) {
	h, model := toward(t, state(t), []reply{say("One."), say("Two.")}, []reply{hang, say("MET: both")}, nil)
	h.set("tag all notes")
	wait[event.TurnFinished](h)
	for len(model.checks.calls()) == 0 {
		time.Sleep(time.Millisecond)
	}
	began := time.Now()
	h.send("and the drafts")
	if s := wait[event.TurnStarted](h); s.TurnID == "" || time.Since(began) > 250*time.Millisecond {
		t.Errorf("its turn began after %v", time.Since(began))
	}
	if g := h.goal(event.GoalMet); g.Turns != 2 || len(model.checks.calls()) != 2 {
		t.Errorf("%+v, %d checks", g, len(model.checks.calls()))
	}
	h.idle()
	for _, turn := range h.turns() {
		if turn.Messages[0].Source == string(event.SourceGoal) {
			t.Error("the program went on before the user")
		}
	}
}

// Messages while the goal is pursued, from several sides at once: each is worked on once, in
// order, and the goal comes to an end.
func TestGoalAmongMessages(t *testing.T) {
	h, _ := toward(t, state(t), []reply{write, say("Something new each time, apples, pears and plums.")}, []reply{say("NOT MET: more")},
		func(o *Options) { o.GoalMaxTurns = 6 })
	h.set("tag all notes")
	var group sync.WaitGroup
	for i := range 3 {
		group.Go(func() {
			for range 4 {
				time.Sleep(time.Duration(1+i) * time.Millisecond)
				if _, err := h.Submit(context.Background(), event.Inbound{Text: "more", Hold: i == 1}); err != nil {
					t.Error(err)
				}
				_ = h.Goal()
			}
		})
	}
	group.Wait()
	h.goal(event.GoalPaused)
	deadline := time.Now().Add(30 * time.Second)
	for {
		h.idle()
		if g := h.Goal(); g.Status == event.GoalPaused && len(h.inboxIDs()) == 0 || time.Now().After(deadline) {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	if ids := h.inboxIDs(); len(ids) > 0 {
		t.Errorf("left in the inbox: %v", ids)
	}
	seen := map[string]int{}
	for _, turn := range h.turns() {
		for _, m := range turn.Messages {
			if m.Role == conversation.RoleUser {
				seen[m.ID]++
			}
		}
	}
	for id, n := range seen {
		if n != 1 {
			t.Errorf("message %s was worked on %d times", id, n)
		}
	}
}

// Whatever the user does, in whatever moment, the goal comes to rest, what is left is as it
// should be, and a goal set after it all is met.
func TestGoalAmongEverything(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long: make test runs it")
	}
	answers := []reply{write, say("Something new, such as apples."), say("Pears and plums this time."), hang, failWith(llm.Error{Kind: llm.KindAuth})}
	verdicts := []reply{say("NOT MET: more"), say("NOT MET: more"), say("MET: all"), say("hm"), hang, failWith(llm.Error{Kind: llm.KindAuth})}
	for seed := range 30 {
		random := rand.New(rand.NewPCG(uint64(seed), 1))
		var mu sync.Mutex
		settled := false
		pick := func(list []reply) reply {
			return func(ctx context.Context, req llm.Request, yield func(llm.Chunk, error) bool) {
				mu.Lock()
				r := list[random.IntN(len(list))]
				if settled {
					r = say("MET")
				}
				mu.Unlock()
				r(ctx, req, yield)
			}
		}
		h, _ := toward(t, state(t), []reply{pick(answers)}, []reply{pick(verdicts)}, nil)
		var sent []string
		for range 40 {
			mu.Lock()
			n, pause := random.IntN(9), time.Duration(random.IntN(3000))*time.Microsecond
			mu.Unlock()
			var err error
			switch n {
			case 0, 1:
				_, err = h.SetGoal("tag all")
				if err == nil {
					_, err = h.Submit(context.Background(), event.Inbound{Text: "tag all"})
				}
			case 2:
				_, err = h.SetGoal("")
			case 3, 4:
				_ = h.ResumeGoal() // there may be none to resume
			case 5, 6:
				h.Stop()
			case 7:
				var m event.Inbound
				m, err = h.Submit(context.Background(), event.Inbound{Text: "something else", Hold: pause > 1500*time.Microsecond})
				sent = append(sent, m.ID)
			case 8:
				if len(sent) > 0 {
					h.TakeBack(sent[len(sent)-1])
				}
			}
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			time.Sleep(pause)
		}
		mu.Lock()
		settled = true
		mu.Unlock()
		deadline := time.Now().Add(30 * time.Second)
		for h.Busy() || h.Goal().Status == event.GoalChecking {
			h.Stop()
			time.Sleep(time.Millisecond)
			if time.Now().After(deadline) {
				t.Fatalf("seed %d: it does not come to rest", seed)
			}
		}
		h.waiting, h.seen = nil, nil
		h.set("the last")
		h.until(func(e event.Event) bool {
			g, ok := e.(event.GoalChanged)
			return ok && g.Goal.Text == "the last" && g.Goal.Status == event.GoalMet
		})
		h.idle()
		entries, _, err := h.inbox.List()
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if e.LastError == "" {
				t.Errorf("seed %d: left in the inbox: %+v", seed, e)
			}
		}
		offered, _, err := h.Unfinished()
		if err != nil || slices.ContainsFunc(offered, func(e inbox.Entry) bool { return e.Source == event.SourceGoal }) {
			t.Errorf("seed %d: offered: %+v, %v", seed, offered, err)
		}
		h.stop()
	}
}

// A new goal takes the place of one that is being checked, at once.
func TestNewGoalDuringACheck(t *testing.T) {
	h, model := toward(t, state(t), []reply{say("One."), say("Two.")}, []reply{hang, say("MET: two")}, nil)
	h.set("the first")
	wait[event.TurnFinished](h)
	for len(model.checks.calls()) == 0 {
		time.Sleep(time.Millisecond)
	}
	if _, err := h.SetGoal("the second"); err != nil {
		t.Fatal(err)
	}
	h.idle() // nothing is checked before the goal's message comes
	h.send("the second")
	if g := h.goal(event.GoalMet); g.Text != "the second" || g.Turns != 1 {
		t.Errorf("%+v", g)
	}
}

// A message that went on toward the goal and failed gives way to the one that resumes it.
func TestResumeAfterAFailure(t *testing.T) {
	h, _ := toward(t, state(t),
		[]reply{write, say("One."), failWith(llm.Error{Kind: llm.KindAuth}), write, say("Two.")}, []reply{say("NOT MET: more"), say("MET")}, nil)
	h.set("tag all")
	if g := h.goal(event.GoalPaused); !g.Failed {
		t.Errorf("%+v", g)
	}
	wait[event.TurnFailed](h)
	if ids := h.inboxIDs(); len(ids) != 1 {
		t.Fatalf("kept for another try: %v", ids)
	}
	if err := h.ResumeGoal(); err != nil {
		t.Fatal(err)
	}
	if g := h.goal(event.GoalMet); g.Failed {
		t.Errorf("%+v", g)
	}
	h.idle()
	if offered, _, err := h.Unfinished(); len(offered) > 0 || err != nil {
		t.Errorf("offered: %v, %v", offered, err)
	}
}

// One that failed can be tried again instead, which resumes the goal as well.
func TestRetryResumesTheGoal(t *testing.T) {
	h, _ := toward(t, state(t),
		[]reply{write, say("One."), failWith(llm.Error{Kind: llm.KindAuth}), write, say("Two.")}, []reply{say("NOT MET: more"), say("MET")}, nil)
	h.set("tag all")
	h.goal(event.GoalPaused)
	f := wait[event.TurnFailed](h)
	if err := h.Retry(f.MessageIDs[0]); err != nil {
		t.Fatal(err)
	}
	h.goal(event.GoalMet)
}
