package agent

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"chatvault/agent/event"
	"chatvault/agent/goal"
	"chatvault/agent/history"
	"chatvault/agent/inbox"
	"chatvault/agent/llm"
	"chatvault/agent/lock"
	"chatvault/agent/memory"
	"chatvault/agent/pending"
	"chatvault/agent/prompts"
)

// goals has the worker step toward the goal when no message waits: a model call checks whether the goal is met, and if it
// is not, the program sends itself a message to continue. So there is one loop, a message of the user always comes first,
// and Stop and Close end the work toward a goal like any other.
//
// A goal belongs to the conversation of the first turn that worked toward it. When that ends, the goal is paused, and
// messages in another conversation do not resume it; the user can, which moves it there.
type goals struct {
	*core
	in *intake

	changing sync.Mutex // of changes, which may wait for a file: it is never taken with schedule.mu held
	goal     atomic.Pointer[goal.Run]
}

// newGoals loads the goal of an earlier process and pauses it: the agent never starts working by itself. A goal that
// belongs to a running process is ignored.
func newGoals(in *intake) *goals {
	g := &goals{core: in.core, in: in}
	g.goal.Store(&goal.Run{})
	if in.opt.LeaveGoal {
		return g
	}
	if n := in.loadNotes(); n.Goal != nil && n.Goal.Text != "" && !lock.Alive(in.opt.Root, n.Goal.Owner) {
		left := n.Goal.Left(time.Now())
		left.MaxTurns = in.opt.GoalMaxTurns
		g.goal.Store(&left)
	}
	return g
}

// save writes the goal; one without text removes it.
func (g *goals) save(r goal.Record) error {
	return pending.Change(g.opt.Root, func(n *pending.Notes) {
		n.Goal = nil
		if r.Text != "" {
			r.Owner = g.owner
			n.Goal = &r
		}
	})
}

// change changes the goal, saves it and publishes the change. If it cannot be saved, a change by the user is not made;
// other changes are made, with a notice.
func (g *goals) change(byUser bool, change func(goal.Run) goal.Run) (err error) {
	g.changing.Lock()
	defer g.changing.Unlock()
	before := *g.goal.Load()
	after := change(before)
	if was, is := before.Stored(), after.Stored(); was != is {
		err = g.save(is)
	}
	if err != nil && byUser {
		return err
	}
	g.goal.Store(&after)
	if before.Goal != after.Goal {
		g.bus.Publish(event.GoalChanged{Meta: event.Meta{Time: time.Now()}, Goal: after.Goal})
	}
	if err != nil {
		g.warn(event.Meta{Time: time.Now()}, "The state of the goal could not be saved", err)
	}
	return nil
}

// update is change by the program.
func (g *goals) update(change func(goal.Run) goal.Run) { _ = g.change(false, change) } // it reports a failure itself

// updateIf is update if the goal is in progress and the same as another value.
func (g *goals) updateIf(same goal.Run, change func(goal.Run) goal.Run) {
	g.update(func(now goal.Run) goal.Run {
		if !now.InProgress() || !now.Same(same) {
			return now
		}
		return change(now)
	})
}

// Goal returns the goal; no Text means none.
func (g *goals) Goal() event.Goal { return g.goal.Load().Goal }

// SetGoal makes text what the agent keeps working toward, from the next message on; empty text drops the goal.
func (g *goals) SetGoal(text string) (event.Goal, error) {
	text = strings.TrimSpace(text)
	if len(text) > goal.MaxText {
		return g.Goal(), fmt.Errorf("the goal is too long: %d bytes, at most %d are allowed; put the text into a note and refer to it", len(text), goal.MaxText)
	}
	err := g.change(true, func(goal.Run) goal.Run {
		if text == "" {
			return goal.Run{}
		}
		return goal.New(text, g.opt.GoalMaxTurns, time.Now())
	})
	if err != nil {
		return g.Goal(), err
	}
	g.mu.Lock()
	g.cancelStep()
	g.mu.Unlock()
	return g.Goal(), nil
}

// ResumeGoal resumes a paused goal, at once or after the running turn.
func (g *goals) ResumeGoal() error {
	switch now := g.Goal(); {
	case now.Text == "":
		return errors.New("there is none; /goal TEXT sets one")
	case now.Status == event.GoalMet:
		return errors.New("it is met; /goal TEXT sets another")
	case now.Status != event.GoalPaused:
		return errors.New("the agent is already working toward the goal")
	}
	err := g.change(true, func(r goal.Run) goal.Run { return r.Resume(time.Now()) })
	if err == nil {
		g.wakeWorker()
	}
	return err
}

// due reports whether a step toward the goal comes next, and shows if it will begin with a check, for which it waits for
// no other change. It requires g.mu and that no turn runs.
func (g *goals) due() bool {
	before := g.goal.Load()
	now := *before
	if g.ctx.Err() != nil || g.draining.Load() || len(g.queue)+len(g.jobs) > 0 || !now.InProgress() || !now.Due {
		return false
	}
	now.Status = event.GoalChecking
	if now.Worked() && before.Status != now.Status && g.goal.CompareAndSwap(before, &now) {
		g.bus.Publish(event.GoalChanged{Meta: event.Meta{Time: time.Now()}, Goal: now.Goal})
	}
	return true
}

// nextStep begins a step toward the goal, or returns nil if none is due.
func (w *worker) nextStep() *turn {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.goals.due() {
		return nil
	}
	return w.begin(&turn{toward: *w.goals.goal.Load(), job: w.stepToward})
}

// stepToward checks whether the goal is met, if a turn has worked toward it. If it is not, the step becomes the turn of a
// message to continue. A message of the user that comes before that cancels the step.
func (w *worker) stepToward(t *turn) {
	g := w.goals
	if g.isLeft(t.toward) {
		g.updateIf(t.toward, func(r goal.Run) goal.Run { return r.Pause(goal.WhyNew, time.Now()) })
	} else if t.toward.Worked() && t.ctx.Err() == nil {
		g.check(t)
	}
	if g.goOn(t) {
		w.process(t)
		return
	}
	g.updateIf(t.toward, func(r goal.Run) goal.Run {
		if t.cutBy(errStopped) {
			return r.Pause(goal.WhyStopped, time.Now())
		}
		r.Status, r.Due = event.GoalActive, true // a message came first, perhaps to be taken back
		return r
	})
	w.end(t, nil)
}

// check checks whether the goal is met.
func (g *goals) check(t *turn) {
	g.step("checking")
	v, err := g.verdict(t)
	if t.ctx.Err() != nil {
		return
	}
	if err != nil {
		g.opt.Log.Error("the goal could not be checked", "error", err)
	}
	g.updateIf(t.toward, func(r goal.Run) goal.Run {
		if err != nil {
			_, text := failureText(err)
			return r.Fail("it could not be checked: "+text, time.Now())
		}
		return r.AfterCheck(v, time.Now())
	})
}

// A check sees the newest turns of the conversation, up to so many tokens.
const (
	checkedTurns  = 3
	checkedTokens = 6000
)

// verdict asks the model whether the goal is met, without tools and outside any conversation.
func (g *goals) verdict(t *turn) (v goal.Verdict, err error) {
	defer caught(g.opt.Log, "", &err)
	now := t.toward
	m := event.Meta{Time: time.Now()}
	system, err := g.prompt(t.ctx, m, now.Conversation, prompts.GoalCheck, now.Fill)
	if err != nil {
		return v, err
	}
	var newest []llm.Message
	if conv, err := g.opt.Conversations.Get(now.Conversation); err == nil { // else the changes have to do
		for _, turn := range g.sendable(conv).Turns[max(0, len(conv.Turns)-min(now.Turns, checkedTurns)):] {
			newest = append(newest, withoutContext(history.Messages(turn.Messages))...)
		}
	}
	r := newRun(g.agentFor(g.answering()), Task{Purpose: llm.PurposeGoalCheck, used: now.Used, Meter: g.accounts.Meter(now.Conversation), Emit: g.publishCosts})
	resp, err := r.model.call(t.ctx, llm.Request{Purpose: r.Purpose, Messages: []llm.Message{
		{Role: llm.RoleSystem, Content: system},
		{Role: llm.RoleUser, Content: now.CheckInput(memory.Transcript(newest, checkedTokens)), Time: m.Time},
	}})
	if err != nil {
		return v, err
	}
	return goal.ParseVerdict(resp.Text), nil
}

// goOn makes a message to continue toward the goal that of the turn of a step. It returns false if the goal is no longer
// in progress or something else comes first. The message is saved with what the turn changes; the next start drops it, for
// a paused goal sends another one when it is resumed.
func (g *goals) goOn(t *turn) bool {
	now := *g.goal.Load()
	if !now.InProgress() || !now.Same(t.toward) {
		return false
	}
	sent := time.Now()
	m := event.Inbound{ID: newMessageID(sent), Text: now.NextText(), Source: event.SourceGoal, Time: sent}
	g.step("received")
	g.mu.Lock()
	defer g.mu.Unlock()
	if t.ctx.Err() != nil { // a message that is queued cancels it
		return false
	}
	t.id, t.entries, t.started = m.ID, []inbox.Entry{{Inbound: m, Owner: g.owner, Conversation: now.Conversation}}, sent
	g.bus.Publish(event.Received{Meta: event.Meta{Time: sent}, Message: m, Queued: false})
	return true
}

// isLeft reports whether the next message belongs to another conversation than the goal.
func (g *goals) isLeft(now goal.Run) bool {
	if now.Conversation == "" || g.nextID() != "" {
		return now.Conversation != ""
	}
	c, err := g.opt.Conversations.Active()
	return err == nil && c != nil && c.ID != now.Conversation
}

// turnBegins resumes the goal if a message of the turn does so, and pauses it if the turn is in another conversation.
func (g *goals) turnBegins(t *turn) {
	now := *g.goal.Load()
	if t.plan != planDeclined && t.anyEntry(func(e inbox.Entry) bool { return now.ResumedIn(t.conv.ID, e) }) {
		since := slices.MinFunc(t.entries, func(a, b inbox.Entry) int { return a.Time.Compare(b.Time) }).Time
		g.update(func(r goal.Run) goal.Run { return r.Resume(since) })
	}
	g.update(func(r goal.Run) goal.Run {
		if r.InProgress() && r.Conversation != "" && r.Conversation != t.conv.ID && !t.continuesGoal() {
			return r.Pause(goal.WhyNew, time.Now())
		}
		return r
	})
	if len(t.conv.Turns) > 0 {
		g.bind(t)
	}
}

// bind gives the goal its conversation if a turn is the first to work toward it. The conversation must be on disk: of one
// whose first turn was lost, nothing is known later.
func (g *goals) bind(t *turn) {
	g.update(func(r goal.Run) goal.Run {
		if r.Text != "" && r.Conversation != t.conv.ID && (r.Conversation == "" || t.continuesGoal()) && (t.goal.Text != "" && t.goal.Same(r) || t.worksOn(r)) {
			r.Conversation = t.conv.ID
		}
		return r
	})
}

// turnEnded updates the goal after a turn. Turns cut by the program's end and repeated ones do not count.
func (g *goals) turnEnded(t *turn, out Outcome, err error) {
	if t.answered || err != nil && t.cutBy(errShutdown) || !g.goal.Load().InProgress() {
		return
	}
	e := goal.TurnEnd{Reason: out.Reason, Left: t.plan == planDeclined, Changes: out.Changes}
	if over := g.opt.Budget.Reached(out.Used) != ""; over && e.Reason != "" && e.Reason != event.StopWaiting { // the check would be one call too many
		e.Reason = event.StopBudget
	}
	switch {
	case err != nil && t.cutBy(errStopped):
		e.Stopped, t.halted = true, true
	case err != nil:
		_, text := failureText(err) // the turn shows the whole text
		e.Failed, _, _ = strings.Cut(text, "\n")
	}
	g.update(func(r goal.Run) goal.Run {
		e.Worked, r.Used = t.worksOn(r), out.Used
		return r.AfterTurn(e, time.Now())
	})
}

// conversationEnded pauses the goal of a conversation that is over.
func (g *goals) conversationEnded(conv, reason string) {
	why := goal.WhyNew
	if reason == endedAgent {
		why = goal.WhyAgent
	}
	g.update(func(r goal.Run) goal.Run {
		if !r.InProgress() || r.Conversation != conv {
			return r
		}
		return r.Pause(why, time.Now())
	})
}

func (t *turn) anyEntry(is func(inbox.Entry) bool) bool { return slices.ContainsFunc(t.entries, is) }

// setsGoal reports whether the turn is the first of a newly set goal. Its message then does not answer an open question.
func (t *turn) setsGoal(g goal.Run) bool {
	return g.InProgress() && g.Turns == 0 && !t.anyEntry(func(e inbox.Entry) bool {
		return e.Source != event.SourceDirect || e.Mode != event.ModeAct || e.Text != g.Text || e.Time.Before(g.Set)
	})
}

// worksOn reports whether a message of the turn works toward the goal.
func (t *turn) worksOn(g goal.Run) bool {
	return t.anyEntry(func(e inbox.Entry) bool { return g.WorksOn(e.Inbound) })
}

// continuesGoal reports whether the program began the turn to continue toward the goal.
func (t *turn) continuesGoal() bool {
	return t.anyEntry(func(e inbox.Entry) bool { return e.Source == event.SourceGoal })
}
