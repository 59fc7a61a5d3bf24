package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"chatvault/agent/event"
	"chatvault/agent/goal"
	"chatvault/agent/history"
	"chatvault/agent/inbox"
	"chatvault/agent/llm"
	"chatvault/agent/memory"
	"chatvault/agent/prompts"
)

// The worker steps toward the goal when no message waits: it finds out by a model call whether the
// goal is met, and if it is not, sends itself a message to go on. So there is one loop, a message
// of the user is always first, and Stop and Close end the work toward a goal like any other.

// goalStep is the worker's step toward the goal while no message waits.
type goalStep struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	goal   goal.Run // as it was at the start
	check  bool     // whether the goal is met is found out first
}

// SetGoal makes text what the agent keeps working toward, from the next message on; empty text
// drops the goal. It fails while another process has a goal in this vault that is not met.
func (p *Processor) SetGoal(text string) (event.Goal, error) {
	text = strings.TrimSpace(text)
	if len(text) > goal.MaxText {
		return p.Goal(), fmt.Errorf("the goal is too long: %d bytes, at most %d are allowed; put the text into a note and refer to it", len(text), goal.MaxText)
	}
	if text == "" && p.Goal().Text == "" {
		return event.Goal{}, p.droppable()
	}
	err := p.goal.Set(func(goal.Run) goal.Run {
		if text == "" {
			return goal.Run{}
		}
		return goal.New(text, p.opt.GoalMaxTurns, time.Now())
	})
	if err != nil {
		return p.Goal(), err
	}
	p.supersede()
	p.dropGoalMessages()
	return p.Goal(), nil
}

// Goal returns the goal; no Text means none.
func (p *Processor) Goal() event.Goal { return p.goal.Get().Goal }

// ResumeGoal resumes a paused goal, at once or after the running turn.
func (p *Processor) ResumeGoal() error {
	switch g := p.Goal(); {
	case g.Text == "":
		return errors.New("there is no goal: set one first")
	case g.Status == event.GoalMet:
		return errors.New("the goal is met: set another one")
	case g.Status != event.GoalPaused:
		return errors.New("the agent is already working toward the goal")
	}
	p.dropGoalMessages()
	err := p.goal.Set(func(g goal.Run) goal.Run { return g.Resume(time.Now()) })
	if err != nil {
		return err
	}
	p.wakeWorker()
	return nil
}

// wakeWorker wakes the worker.
func (p *Processor) wakeWorker() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// supersede ends what is being done toward the goal between turns: something else comes first.
func (p *Processor) supersede() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.goalStep != nil {
		p.goalStep.cancel(memory.ErrSuperseded)
	}
}

// planGoalStep schedules a step toward the goal if one is due. It requires p.mu and that no turn runs. ended is the
// turn that has just ended, if any: if the user tried to stop it too late, the goal is stopped instead.
func (p *Processor) planGoalStep(ended *turn) {
	g := p.goal.Get()
	if p.goalStep != nil || p.closed || len(p.queue) > 0 || !g.InProgress() || !g.Due {
		return
	}
	u := &goalStep{goal: g, check: g.Worked()}
	u.ctx, u.cancel = context.WithCancelCause(p.ctx)
	if ended != nil && !ended.halted && ended.cutBy(errStopped) {
		u.cancel(errStopped)
	}
	p.goalStep = u
	p.tasks.Yield()
	if u.check {
		p.goal.Checking(true)
	}
}

// endGoalStep ends a step that led to nothing, with p.mu held.
func (p *Processor) endGoalStep() {
	if p.goalStep == nil {
		return
	}
	p.goalStep.cancel(nil)
	p.goalStep = nil
	p.goal.Checking(false)
}

// stepTowardGoal makes the scheduled step and returns the turn that continues toward the goal, or nil.
func (p *Processor) stepTowardGoal() *turn {
	p.mu.Lock()
	if p.draining {
		p.mu.Unlock()
		return nil
	}
	p.planGoalStep(nil)
	u := p.goalStep
	p.mu.Unlock()
	if u == nil {
		return nil
	}
	if p.goalLeft(u.goal) {
		p.goal.ChangeIf(u.goal, func(g goal.Run) goal.Run { return g.Pause(goal.WhyNew, time.Now()) })
	} else if u.check && u.ctx.Err() == nil {
		p.step("checking")
		v, err := p.checkGoal(u)
		switch {
		case u.ctx.Err() != nil:
		case err != nil:
			p.opt.Log.Error("the goal could not be checked", "error", err)
			_, text := failureText(err)
			p.goal.ChangeIf(u.goal, func(g goal.Run) goal.Run { return g.Fail("it could not be checked: "+text, time.Now()) })
		default:
			p.goal.ChangeIf(u.goal, func(g goal.Run) goal.Run { return g.AfterCheck(v, time.Now()) })
			if p.Goal().Status == event.GoalMet {
				p.dropGoalMessages()
			}
		}
	}
	t := p.continueGoal(u)
	if errors.Is(context.Cause(u.ctx), errStopped) {
		p.goal.ChangeIf(u.goal, func(g goal.Run) goal.Run { return g.Pause(goal.WhyStopped, time.Now()) })
	}
	if t == nil {
		p.mu.Lock()
		p.endGoalStep()
		p.goal.Again(u.goal) // a message came first, perhaps to be taken back
		p.mu.Unlock()
	}
	return t
}

// continueGoal stores a message that continues toward the goal and begins its turn at once. It returns nil if the
// goal is no longer in progress or something else comes first.
func (p *Processor) continueGoal(u *goalStep) *turn {
	p.accepting.Lock()
	defer p.accepting.Unlock()
	g, ok := p.mayContinue(u)
	if !ok {
		return nil
	}
	now := time.Now()
	entry := inbox.Entry{Inbound: event.Inbound{ID: newMessageID(now), Text: g.NextText(), Source: event.SourceGoal, Time: now}, Owner: p.owner.Name, Conversation: g.Home}
	if err := p.inbox.Save(entry); err != nil {
		p.goal.ChangeIf(u.goal, func(g goal.Run) goal.Run {
			return g.Fail(fmt.Sprintf("the message to go on could not be saved: %v", err), now)
		})
		return nil
	}
	p.step("received")
	p.mu.Lock()
	if u.ctx.Err() == nil && !p.closed {
		u.cancel(nil)
		p.goalStep = nil
		p.queue = append(p.queue, entry)
		p.bus.Publish(event.Received{Meta: event.Meta{Time: now}, Message: entry.Inbound, Queued: false})
		t := p.take()
		p.mu.Unlock()
		return t
	}
	p.mu.Unlock()
	if err := p.inbox.Remove(entry.ID); err != nil {
		p.opt.Log.Error("inbox entry not removed", "message", entry.ID, "error", err)
	}
	return nil
}

// mayContinue returns the goal and whether work toward it may continue.
func (p *Processor) mayContinue(u *goalStep) (goal.Run, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	g := p.goal.Get()
	return g, g.InProgress() && g.Same(u.goal) && u.ctx.Err() == nil && len(p.queue) == 0 && !p.closed
}

// A check sees the newest turns of the conversation, up to so many tokens.
const (
	checkedTurns  = 3
	checkedTokens = 6000
)

// checkGoal checks whether the goal is met, by a model call without tools outside any conversation.
func (p *Processor) checkGoal(u *goalStep) (v goal.Verdict, err error) {
	defer caught(p.opt.Log, "", &err)
	provider := p.answering()
	g := u.goal
	m := event.Meta{Time: time.Now()}
	system, err := p.prompt(u.ctx, m, g.Conv, prompts.GoalCheck, g.Fill)
	if err != nil {
		return v, err
	}
	var newest []llm.Message
	if conv, err := p.opt.Conversations.Get(g.Conv); err == nil { // else the changes have to do
		for _, t := range p.sendable(conv).Turns[max(0, len(conv.Turns)-min(g.Turns, checkedTurns)):] {
			newest = append(newest, withoutContext(history.Messages(t.Messages))...)
		}
	}
	a := p.agent(&turn{provider: provider})
	resp, err := a.reply(u.ctx, Task{Purpose: llm.PurposeGoalCheck, used: g.Used, Meter: p.accounts.Meter(g.Conv), Emit: func(e event.Event) {
		switch e.(type) {
		case event.UsageReported, event.Notice:
			p.bus.Publish(e)
		}
	}}, []llm.Message{{Role: llm.RoleSystem, Content: system}, {Role: llm.RoleUser, Content: g.CheckInput(memory.Transcript(newest, checkedTokens)), Time: m.Time}})
	if err != nil {
		return v, err
	}
	return goal.ParseVerdict(resp.Text), nil
}

// reply makes a model call outside any turn, without tools.
func (a Agent) reply(ctx context.Context, t Task, messages []llm.Message) (llm.Response, error) {
	return a.begin(t).call(ctx, llm.Request{Purpose: t.Purpose, Messages: messages})
}
