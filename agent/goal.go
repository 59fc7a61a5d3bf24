package agent

import (
	"errors"
	"time"

	"chatvault/agent/carryover"
	"chatvault/agent/event"
	"chatvault/agent/goal"
	"chatvault/agent/lock"
)

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
