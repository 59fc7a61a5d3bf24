package agent

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"chatvault/agent/carryover"
	"chatvault/agent/event"
	"chatvault/agent/goal"
	"chatvault/agent/inbox"
	"chatvault/agent/lock"
	"chatvault/agent/prompts"
	"chatvault/internal/text"
	"chatvault/tools"
)

// What a turn and the goal have to do with each other: a message resumes the goal, the model is
// told of it, and how the turn ended is what the goal goes by.

// resumeBy goes on with a paused goal where a message of the turn does so.
func (p *Processor) resumeBy(t *turn) {
	g := p.goal.Get()
	if !slices.ContainsFunc(t.entries, func(e inbox.Entry) bool { return g.ResumedIn(t.conv.ID, e.Inbound) || g.RetriedIn(t.conv.ID, e) }) {
		p.tellGoalStays(t)
		return
	}
	since := slices.MinFunc(t.entries, func(a, b inbox.Entry) int { return a.Time.Compare(b.Time) }).Time
	p.goal.Change(func(g goal.Run) goal.Run { return g.Resume(since) })
	p.dropGoalMessages() // this turn goes on where those ended
}

// goalContext tells the model of the goal, where a message of the turn works toward it.
func (p *Processor) goalContext(t *turn) (string, error) {
	g := p.goal.Get()
	if !g.InProgress() || !t.worksOn(g) {
		return "", nil
	}
	t.goal = g
	return p.turnPrompt(t, prompts.Goal, nil)
}

// setsGoal says whether the turn is the first of a goal that was just set, and nothing else: what
// the agent had asked before is not what the message is about.
func (t *turn) setsGoal(g goal.Run) bool {
	return g.InProgress() && g.Turns == 0 && !slices.ContainsFunc(t.entries, func(e inbox.Entry) bool {
		return e.Source != event.SourceDirect || e.Mode != event.ModeAct || e.Text != g.Text || e.Time.Before(g.Set)
	})
}

// worksOn says whether a message of the turn works toward the goal.
func (t *turn) worksOn(g goal.Run) bool {
	return slices.ContainsFunc(t.entries, func(e inbox.Entry) bool { return g.WorksOn(e.Inbound) })
}

// goalTurn says to the goal how a turn ended. A turn that the end of the program cut, or that
// was not needed, counts for nothing.
func (p *Processor) goalTurn(t *turn, out Outcome, err error) {
	if t.answered || err != nil && t.cutBy(errShutdown) || !p.goal.Get().InProgress() {
		return
	}
	e := goal.TurnEnd{Reason: out.Reason, Left: t.plan == planDeclined}
	if over := p.opt.Budget.Reached(out.Used) != ""; over && e.Reason != "" && e.Reason != event.StopWaiting { // the check would be one call too many
		e.Reason = event.StopBudget
	}
	for _, name := range out.ToolsUsed {
		e.Acted = e.Acted || !tools.TraitsOf(name).Speaks
	}
	switch {
	case err != nil && t.cutBy(errStopped):
		e.Stopped, t.halted = true, true
	case err != nil:
		_, text := failureText(err) // the turn itself tells all of it
		e.Failed, _, _ = strings.Cut(text, "\n")
	}
	e.Account = goal.AccountOf(t.text(), out.Record, out.Changes)
	p.goal.Change(func(g goal.Run) goal.Run {
		e.Worked, e.Own = t.worksOn(g), !slices.ContainsFunc(t.entries, func(e inbox.Entry) bool { return e.Source != event.SourceGoal })
		if g.Used = out.Used; t.conv != nil {
			g.Conv = t.conv.ID
		}
		return g.AfterTurn(e, time.Now())
	})
}

// A goal belongs to the conversation in which the first turn worked toward it. When that is over
// the goal is paused, and what is said in another one does not resume it; the user can, and then
// it belongs to the conversation in which it goes on.

// goalEnded pauses the goal of a conversation that is over.
func (p *Processor) goalEnded(conv, reason string) {
	why := goal.WhyNew
	if reason == endedAgent {
		why = goal.WhyAgent
	}
	p.goal.Change(func(g goal.Run) goal.Run {
		if !g.InProgress() || g.Home != conv {
			return g
		}
		return g.Pause(why, time.Now())
	})
}

// pauseGoalOfOther pauses the goal where a turn begins in another conversation than its own.
func (p *Processor) pauseGoalOfOther(t *turn) {
	p.goal.Change(func(g goal.Run) goal.Run {
		if g.InProgress() && g.Home != "" && g.Home != t.conv.ID && !t.continuesGoal() {
			return g.Pause(goal.WhyNew, time.Now())
		}
		return g
	})
	if len(t.conv.Turns) > 0 {
		p.bindGoal(t)
	}
}

// bindGoal gives the goal its conversation where a turn is the first to work toward it. The
// conversation is on disk: of one whose first turn was lost, nothing is known later.
func (p *Processor) bindGoal(t *turn) {
	p.goal.Change(func(g goal.Run) goal.Run {
		if g.Text != "" && g.Home != t.conv.ID && (g.Home == "" || t.continuesGoal()) && (t.goal.Text != "" && t.goal.Same(g) || t.worksOn(g)) {
			g.Home = t.conv.ID
		}
		return g
	})
}

// continuesGoal says whether a turn was begun by the program, to go on toward the goal.
func (t *turn) continuesGoal() bool {
	return slices.ContainsFunc(t.entries, func(e inbox.Entry) bool { return e.Source == event.SourceGoal })
}

// tellGoalStays tells, once in a conversation, that a goal of another one stays paused although the
// user writes.
func (p *Processor) tellGoalStays(t *turn) {
	g := p.goal.Get()
	if g.ToldIn == t.conv.ID || !slices.ContainsFunc(t.entries, func(e inbox.Entry) bool { return g.ResumedBy(e.Inbound) }) {
		return
	}
	p.goal.Change(func(g goal.Run) goal.Run {
		g.ToldIn = t.conv.ID
		return g
	})
	p.bus.Publish(event.Notice{Meta: t.meta(), Text: fmt.Sprintf("The goal “%s” belongs to an earlier conversation and stays paused.", text.Excerpt(g.Text, 80))})
}

// goalLeft says whether the goal's conversation is over for what comes next: the user wants
// another one, or another process began one.
func (p *Processor) goalLeft(g goal.Run) bool {
	if g.Home == "" || p.begins() != "" {
		return g.Home != ""
	}
	c, err := p.opt.Conversations.Active()
	return err == nil && c != nil && c.ID != g.Home
}

// saveGoal writes the goal down; one without text removes it. A goal that another living process
// has is left alone.
func (p *Processor) saveGoal(g goal.Record) error {
	var taken error
	err := carryover.Change(p.opt.Root, func(n *carryover.Notes) {
		if taken = n.Goal.Taken(p.opt.Root, p.owner.Name); taken != nil {
			return
		}
		n.Goal = nil
		if g.Text != "" {
			g.Owner = p.owner.Name
			n.Goal = &g
		}
	})
	return errors.Join(err, taken)
}

// loadGoal takes up the goal an earlier process left. One that was being worked toward is
// paused: nobody expects an agent that starts working by itself. One of a process that lives is
// that process's.
func (p *Processor) loadGoal(now time.Time) {
	n := p.noted()
	if n.Goal == nil || n.Goal.Text == "" || lock.Alive(p.opt.Root, n.Goal.Owner) {
		return
	}
	g := n.Goal.Left(now)
	g.MaxTurns = p.opt.GoalMaxTurns
	p.goal.Begin(g)
}

// droppable says whether there is nothing on disk that another process, or a later version,
// would miss.
func (p *Processor) droppable() error {
	n, err := carryover.Load(p.opt.Root)
	if err != nil {
		return err
	}
	return n.Goal.Taken(p.opt.Root, p.owner.Name)
}

// dropGoalMessages removes messages from the inbox that went on toward a goal and failed, or
// were left by a process that ended: what is said next goes on from there.
func (p *Processor) dropGoalMessages() {
	entries, _, err := p.inbox.List()
	if err != nil {
		p.opt.Log.Warn("the inbox cannot be read", "error", err)
		return
	}
	for _, e := range entries {
		if e.Source != event.SourceGoal || p.knows(e.ID) || p.inbox.Others(e) {
			continue
		}
		if err := p.inbox.Remove(e.ID); err != nil {
			p.opt.Log.Warn("inbox entry not removed", "message", e.ID, "error", err)
		}
	}
}
