package agent

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"chatvault/agent/event"
	"chatvault/agent/lock"
	"chatvault/internal/text"
)

// goalRecord is the goal as state.json holds it.
type goalRecord struct {
	event.Goal
	Owner string `json:"owner"` // the process that works toward it, see lock.Owner
	// Conversation is the one it was set in; empty: no turn has worked toward it yet.
	Conversation string `json:"conversation,omitempty"`
	// ToldIn is another conversation, in which the user was told that it stays paused.
	ToldIn string `json:"told_in,omitempty"`
	// Asked says that the newest turn toward it asked the user something.
	Asked bool `json:"asked,omitempty"`
}

// errGoalTaken says that another process has a goal in this vault.
var errGoalTaken = errors.New("another chatvault has a goal in this vault")

// record is the goal as it is kept, but for its owner. That it is being checked is not: who
// reads it later finds no check under way.
func (g goalRun) record() goalRecord {
	r := goalRecord{Goal: g.Goal, Conversation: g.home, ToldIn: g.toldIn, Asked: g.asked}
	if r.Status == event.GoalChecking {
		r.Status = event.GoalActive
	}
	return r
}

// ReadGoal is the goal of a vault as it stands on disk, and the process that has it where that
// lives ("process 4711"); empty: none does. It changes nothing.
func ReadGoal(root *os.Root) (g event.Goal, by string, err error) {
	n, err := loadNotes(root)
	if err != nil || n.Goal == nil || n.Goal.Text == "" {
		return event.Goal{}, "", err
	}
	if by = n.Goal.heldBy(root, ""); by != "" {
		return n.Goal.Goal, by, nil
	}
	return n.Goal.left(time.Now()).Goal, "", nil
}

// heldBy is the living process, other than own, that has the goal; empty: none has.
func (r *goalRecord) heldBy(root *os.Root, own string) string {
	if r.Owner == own || !lock.Alive(root, r.Owner) {
		return ""
	}
	pid, _, _ := strings.Cut(r.Owner, "-")
	return "process " + pid
}

// left is the goal as a process that ended left it: what was being worked toward is paused.
func (r *goalRecord) left(now time.Time) goalRun {
	g := goalRun{Goal: r.Goal, since: now, home: r.Conversation, toldIn: r.ToldIn}
	switch {
	case !g.InProgress():
	case r.Asked:
		g = g.paused(goalAskedWhy, now)
	default:
		g = g.paused(goalRestartedWhy, now)
	}
	return g
}

// taken is why a goal of another living process, which is not met, is neither replaced nor
// dropped: that process would go on with it. nil: it may be.
func (r *goalRecord) taken(p *Processor) error {
	by := ""
	if r != nil && r.Text != "" && r.Status != event.GoalMet {
		by = r.heldBy(p.opt.Root, p.owner.Name)
	}
	if by == "" {
		return nil
	}
	verb := "works toward"
	if !r.InProgress() {
		verb = "has paused"
	}
	return fmt.Errorf("%w: %s %s “%s”; drop it there first, or end that chatvault", errGoalTaken, by, verb, text.Excerpt(r.Text, 80))
}

// saveGoal writes the goal down; one without text removes it. A goal that another living process
// has is left alone.
func (p *Processor) saveGoal(g goalRecord) error {
	var taken error
	err := changeNotes(p.opt.Root, func(n *notes) {
		if taken = n.Goal.taken(p); taken != nil {
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
	p.goal = n.Goal.left(now)
	p.goal.MaxTurns = p.opt.GoalMaxTurns
}

// droppable says whether there is nothing on disk that another process, or a later version,
// would miss.
func (p *Processor) droppable() error {
	n, err := loadNotes(p.opt.Root)
	if err != nil {
		return err
	}
	return n.Goal.taken(p)
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
