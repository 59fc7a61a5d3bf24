package agent

import (
	"errors"
	"fmt"
	"time"
)

// goalRecord is the goal as state.json holds it.
type goalRecord struct {
	Goal
	Owner string `json:"owner"` // the process that works toward it, see owner.go
	// Conversation is the one it was set in; empty: no turn has worked toward it yet.
	Conversation string `json:"conversation,omitempty"`
	// ToldIn is another conversation, in which the user was told that it stays paused.
	ToldIn string `json:"told_in,omitempty"`
}

// errGoalTaken says that another process works toward a goal in this vault.
var errGoalTaken = errors.New("another chatvault works toward a goal in this vault")

// record is the goal as it is kept, but for its owner. That it is being checked is not: who
// reads it later finds no check under way.
func (g goalRun) record() goalRecord {
	r := goalRecord{Goal: g.Goal, Conversation: g.home, ToldIn: g.toldIn}
	if r.Status == GoalChecking {
		r.Status = GoalActive
	}
	return r
}

// saveGoal writes the goal down; one without text removes it. A goal that another living process
// works toward is left alone.
func (p *Processor) saveGoal(g goalRecord) error {
	var taken error
	err := changeNotes(p.opt.Root, func(n *notes) {
		if o := n.Goal; o != nil && o.Owner != p.owner.name && o.pursued() && ownerAlive(p.opt.Root, o.Owner) {
			taken = fmt.Errorf("%w (“%s”): end it there first", errGoalTaken, excerpt(o.Text, 80))
			return
		}
		n.Goal = nil
		if g.Text != "" {
			g.Owner = p.owner.name
			n.Goal = &g
		}
	})
	return errors.Join(err, taken)
}

// loadGoal takes up the goal an earlier process left. One that was being worked toward is
// paused: nobody expects an agent that starts working by itself. One of a process that lives is
// that process's.
func (p *Processor) loadGoal(now time.Time) {
	n, err := loadNotes(p.opt.Root)
	if err != nil {
		return // the first turn tells
	}
	if n.Goal == nil || n.Goal.Text == "" || ownerAlive(p.opt.Root, n.Goal.Owner) {
		return
	}
	p.goal = goalRun{Goal: n.Goal.Goal, since: now, home: n.Goal.Conversation, toldIn: n.Goal.ToldIn}
	p.goal.MaxTurns = p.opt.GoalMaxTurns
	if p.goal.pursued() {
		p.goal = p.goal.paused(goalRestartedWhy, now)
	}
}

// dropGoalMessages removes messages of this process from the inbox that went on toward a goal
// and failed: their turns are on record, and another one goes on from there.
func (p *Processor) dropGoalMessages() {
	entries, _, err := p.inbox.List()
	if err != nil {
		p.opt.Log.Warn("the inbox cannot be read", "error", err)
		return
	}
	for _, e := range entries {
		if e.Source != SourceGoal || e.Owner != p.owner.name || p.knows(e.ID) {
			continue
		}
		if err := p.inbox.Remove(e.ID); err != nil {
			p.opt.Log.Warn("inbox entry not removed", "message", e.ID, "error", err)
		}
	}
}
