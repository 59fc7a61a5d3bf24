package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"chatvault/agent/event"
	"chatvault/agent/inbox"
)

// The worker pursues the goal when no message waits: it finds out by a model call whether the
// goal is met, and if it is not, sends itself a message to go on. So there is one loop, a message
// of the user is always first, and Stop and Close end the work toward a goal like any other.

// errSuperseded is the cause of a pursuit's end where a message or another goal came first.
var errSuperseded = errors.New("something else comes first")

// pursuit is what the worker does toward the goal when no message waits.
type pursuit struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	goal   goalRun // what it is about
	check  bool    // whether the goal is met is found out first
}

// SetGoal makes text what the agent keeps working toward, from the next message on; empty text
// drops the goal. It fails while another process has a goal in this vault that is not met.
func (p *Processor) SetGoal(text string) (event.Goal, error) {
	text = strings.TrimSpace(text)
	if len(text) > maxGoalText {
		return p.Goal(), fmt.Errorf("the goal is too long: %d bytes, at most %d are taken; put the text into a note and refer to it", len(text), maxGoalText)
	}
	if text == "" && p.Goal().Text == "" {
		return event.Goal{}, p.droppable()
	}
	err := p.changeGoal(true, func(goalRun) goalRun {
		if text == "" {
			return goalRun{}
		}
		return newGoal(text, p.opt.GoalMaxTurns, time.Now())
	})
	if err != nil {
		return p.Goal(), err
	}
	p.supersede()
	p.dropGoalMessages()
	return p.Goal(), nil
}

// Goal is the goal as it stands; one without text is none.
func (p *Processor) Goal() event.Goal {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.goal.Goal
}

// ResumeGoal goes on with a paused goal, at once or after the turn that runs.
func (p *Processor) ResumeGoal() error {
	switch g := p.Goal(); {
	case g.Text == "":
		return errors.New("there is no goal: set one first")
	case g.Status == event.GoalMet:
		return errors.New("the goal is met: set another one")
	case g.Status != event.GoalPaused:
		return errors.New("the goal is being worked toward already")
	}
	p.dropGoalMessages()
	err := p.changeGoal(true, func(g goalRun) goalRun {
		if g.Status != event.GoalPaused {
			return g
		}
		return g.resumed(time.Now())
	})
	if err != nil {
		return err
	}
	p.poke()
	return nil
}

// poke wakes the worker.
func (p *Processor) poke() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// changeGoal makes another goal of the one there is, durably, and tells of it. A change that
// cannot be written is not made where it is the user's; else it is made all the same, since what
// happened has happened, and told as a failure of ours.
func (p *Processor) changeGoal(users bool, change func(goalRun) goalRun) error {
	p.changingGoal.Lock()
	defer p.changingGoal.Unlock()
	p.mu.Lock()
	before := p.goal
	p.mu.Unlock()
	after := change(before)
	var err error
	if was, is := before.record(), after.record(); was != is {
		err = p.saveGoal(is)
	}
	if err != nil && users {
		return err
	}
	if errors.Is(err, errGoalTaken) {
		after = goalRun{}
	}
	p.mu.Lock()
	p.goal = after
	if before.Goal != after.Goal {
		p.bus.Publish(event.GoalChanged{Meta: event.Meta{Time: time.Now()}, Goal: after.Goal})
	}
	p.mu.Unlock()
	if err != nil {
		p.opt.Log.Error("goal not written", "error", err)
		p.bus.Publish(event.Notice{Meta: event.Meta{Time: time.Now()}, Text: fmt.Sprintf("What became of the goal could not be written down: %v", err)})
	}
	return nil
}

// supersede ends what is being done toward the goal between turns: something else comes first.
func (p *Processor) supersede() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.pursuit != nil {
		p.pursuit.cancel(errSuperseded)
	}
}

// planPursuit decides, with p.mu held and no turn running, whether something is to be done toward
// the goal before a message comes. ended is the turn that did just now, if one did: where the
// user wanted to stop it in its last moment, when it could not be, the goal is what is stopped.
func (p *Processor) planPursuit(ended *turn) {
	if p.pursuit != nil || p.closed || len(p.queue) > 0 || !p.goal.InProgress() || !p.goal.due {
		return
	}
	u := &pursuit{goal: p.goal, check: len(p.goal.account.turns) > 0}
	u.ctx, u.cancel = context.WithCancelCause(p.ctx)
	if ended != nil && !ended.halted && ended.cutBy(errStopped) {
		u.cancel(errStopped)
	}
	p.pursuit = u
	p.yield()
	if u.check {
		p.goal.Status = event.GoalChecking
		p.bus.Publish(event.GoalChanged{Meta: event.Meta{Time: time.Now()}, Goal: p.goal.Goal})
	}
}

// endPursuit ends a pursuit that led to nothing, with p.mu held.
func (p *Processor) endPursuit() {
	if p.pursuit == nil {
		return
	}
	p.pursuit.cancel(nil)
	p.pursuit = nil
	if p.goal.Status == event.GoalChecking {
		p.goal.Status = event.GoalActive
		p.bus.Publish(event.GoalChanged{Meta: event.Meta{Time: time.Now()}, Goal: p.goal.Goal})
	}
}

// pursue does what is to be done toward the goal, and returns the turn that goes on with it; nil
// when there is none.
func (p *Processor) pursue() *turn {
	p.mu.Lock()
	if p.draining {
		p.mu.Unlock()
		return nil
	}
	p.planPursuit(nil)
	u := p.pursuit
	p.mu.Unlock()
	if u == nil {
		return nil
	}
	if p.elsewhere(u.goal) {
		p.changePursued(u, func(g goalRun) goalRun { return g.paused(goalNewWhy, time.Now()) })
	} else if u.check && u.ctx.Err() == nil {
		p.step("checking")
		v, err := p.checkGoal(u)
		switch {
		case u.ctx.Err() != nil:
		case err != nil:
			p.opt.Log.Error("the goal could not be checked", "error", err)
			_, text := failureText(err)
			p.changePursued(u, func(g goalRun) goalRun { return g.failed("it could not be checked: "+text, time.Now()) })
		default:
			p.changePursued(u, func(g goalRun) goalRun { return g.afterCheck(v, time.Now()) })
			if p.Goal().Status == event.GoalMet {
				p.dropGoalMessages()
			}
		}
	}
	t := p.goOn(u)
	if errors.Is(context.Cause(u.ctx), errStopped) {
		p.changePursued(u, func(g goalRun) goalRun { return g.paused(goalStoppedWhy, time.Now()) })
	}
	if t == nil {
		p.mu.Lock()
		p.endPursuit()
		if p.goal.InProgress() && p.goal.same(u.goal) {
			p.goal.due = true // a message came first, perhaps to be taken back
		}
		p.mu.Unlock()
	}
	return t
}

// changePursued changes the goal that a pursuit is about, if it still is the goal.
func (p *Processor) changePursued(u *pursuit, change func(goalRun) goalRun) {
	_ = p.changeGoal(false, func(g goalRun) goalRun { // it tells of its failure itself
		if !g.InProgress() || !g.same(u.goal) {
			return g
		}
		return change(g)
	})
}

// goOn puts a message into the inbox that goes on toward the goal, and takes it, before any
// other can come between; nil where the goal is pursued no more or something else comes first.
func (p *Processor) goOn(u *pursuit) *turn {
	p.accepting.Lock()
	defer p.accepting.Unlock()
	g, ok := p.unhindered(u)
	if !ok {
		return nil
	}
	now := time.Now()
	entry := inbox.Entry{Inbound: event.Inbound{ID: newMessageID(now), Text: g.nextText(), Source: event.SourceGoal, Time: now}, Owner: p.owner.Name}
	if err := p.inbox.Save(entry); err != nil {
		p.changePursued(u, func(g goalRun) goalRun {
			return g.failed(fmt.Sprintf("the message to go on could not be saved: %v", err), now)
		})
		return nil
	}
	p.step("received")
	p.mu.Lock()
	if u.ctx.Err() == nil && !p.closed {
		u.cancel(nil)
		p.pursuit = nil
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

// unhindered is the goal where nothing stands in the way of going on.
func (p *Processor) unhindered(u *pursuit) (goalRun, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	g := p.goal
	return g, g.InProgress() && g.same(u.goal) && u.ctx.Err() == nil && len(p.queue) == 0 && !p.closed
}
