package agent

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"chatvault/agent/event"
	"chatvault/agent/goal"
	"chatvault/agent/inbox"
	"chatvault/agent/lock"
	"chatvault/agent/pending"
	"chatvault/agent/prompts"
	"chatvault/internal/text"
	"chatvault/tools"
)

// A message can resume the goal, each turn's context contains it, and the end of each turn updates it.

// resumeBy resumes a paused goal if a message of the turn does so.
func (p *Processor) resumeBy(t *turn) {
	g := p.goal.Get()
	if !slices.ContainsFunc(t.entries, func(e inbox.Entry) bool { return g.ResumedIn(t.conv.ID, e.Inbound) || g.RetriedIn(t.conv.ID, e) }) {
		p.tellGoalStays(t)
		return
	}
	since := slices.MinFunc(t.entries, func(a, b inbox.Entry) int { return a.Time.Compare(b.Time) }).Time
	p.goal.Change(func(g goal.Run) goal.Run { return g.Resume(since) })
	p.dropGoalMessages() // this turn continues their work
}

// goalContext describes the goal for the model if a message of the turn works toward it.
func (p *Processor) goalContext(t *turn) (string, error) {
	g := p.goal.Get()
	if !g.InProgress() || !t.worksOn(g) {
		return "", nil
	}
	t.goal = g
	return p.turnPrompt(t, prompts.Goal, nil)
}

// setsGoal reports whether the turn is the first of a newly set goal. Its message then does not answer an open
// question.
func (t *turn) setsGoal(g goal.Run) bool {
	return g.InProgress() && g.Turns == 0 && !slices.ContainsFunc(t.entries, func(e inbox.Entry) bool {
		return e.Source != event.SourceDirect || e.Mode != event.ModeAct || e.Text != g.Text || e.Time.Before(g.Set)
	})
}

// worksOn reports whether a message of the turn works toward the goal.
func (t *turn) worksOn(g goal.Run) bool {
	return slices.ContainsFunc(t.entries, func(e inbox.Entry) bool { return g.WorksOn(e.Inbound) })
}

// goalTurn updates the goal after a turn. Turns cut by the program's end and repeated ones do not count.
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
		_, text := failureText(err) // the turn shows the whole text
		e.Failed, _, _ = strings.Cut(text, "\n")
	}
	e.Changes = out.Changes
	p.goal.Change(func(g goal.Run) goal.Run {
		e.Worked, e.Own = t.worksOn(g), !slices.ContainsFunc(t.entries, func(e inbox.Entry) bool { return e.Source != event.SourceGoal })
		if g.Used = out.Used; t.conv != nil {
			g.Conv = t.conv.ID
		}
		return g.AfterTurn(e, time.Now())
	})
}

// A goal belongs to the conversation of the first turn that worked toward it. When that ends, the goal is paused, and
// messages in another conversation do not resume it; the user can, which moves it there.

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

// continuesGoal reports whether the program began the turn to continue toward the goal.
func (t *turn) continuesGoal() bool {
	return slices.ContainsFunc(t.entries, func(e inbox.Entry) bool { return e.Source == event.SourceGoal })
}

// tellGoalStays notifies the user, once per conversation, that the goal of another one stays paused.
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

// goalLeft reports whether the next message belongs to another conversation than the goal.
func (p *Processor) goalLeft(g goal.Run) bool {
	if g.Home == "" || p.nextID() != "" {
		return g.Home != ""
	}
	c, err := p.opt.Conversations.Active()
	return err == nil && c != nil && c.ID != g.Home
}

// saveGoal writes the goal down; one without text removes it. A goal that another living process
// has is left alone.
func (p *Processor) saveGoal(g goal.Record) error {
	var taken error
	err := pending.Change(p.opt.Root, func(n *pending.Notes) {
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

// loadGoal loads the goal of an earlier process, paused, since an agent must not start working by itself. The goal of
// a living process is left alone.
func (p *Processor) loadGoal(now time.Time) {
	n := p.loadNotes()
	if n.Goal == nil || n.Goal.Text == "" || lock.Alive(p.opt.Root, n.Goal.Owner) {
		return
	}
	g := n.Goal.Left(now)
	g.MaxTurns = p.opt.GoalMaxTurns
	p.goal.Begin(g)
}

// droppable returns an error if the stored goal belongs to another process or a later version.
func (p *Processor) droppable() error {
	n, err := pending.Load(p.opt.Root)
	if err != nil {
		return err
	}
	return n.Goal.Taken(p.opt.Root, p.owner.Name)
}

// dropGoalMessages removes leftover messages for the goal from the inbox: the next message continues their work.
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
