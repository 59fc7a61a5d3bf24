package agent

import (
	"fmt"
	"slices"
	"time"

	"chatvault/agent/event"
	"chatvault/agent/inbox"
	"chatvault/internal/text"
)

// A goal belongs to the conversation in which the first turn worked toward it. When that is over
// the goal is paused, and what is said in another one does not resume it; the user can, and then
// it belongs to the conversation in which it goes on.

// Why a goal is paused that another conversation leaves behind.
const (
	goalNewWhy   = "another conversation was begun"
	goalAgentWhy = "the agent ended the conversation"
)

// goalEnded pauses the goal of a conversation that is over.
func (p *Processor) goalEnded(conv, reason string) {
	why := goalNewWhy
	if reason == endedAgent {
		why = goalAgentWhy
	}
	_ = p.changeGoal(false, func(g goalRun) goalRun { // it tells of its failure itself
		if !g.InProgress() || g.home != conv {
			return g
		}
		return g.paused(why, time.Now())
	})
}

// settleGoal pauses the goal where a turn begins in another conversation than its own.
func (p *Processor) settleGoal(t *turn) {
	_ = p.changeGoal(false, func(g goalRun) goalRun { // it tells of its failure itself
		if g.InProgress() && g.home != "" && g.home != t.conv.ID && !t.goesOn() {
			return g.paused(goalNewWhy, time.Now())
		}
		return g
	})
	if len(t.conv.Turns) > 0 {
		p.houseGoal(t)
	}
}

// houseGoal gives the goal its conversation where a turn is the first to work toward it. The
// conversation is on disk: of one whose first turn was lost, nothing is known later.
func (p *Processor) houseGoal(t *turn) {
	_ = p.changeGoal(false, func(g goalRun) goalRun { // it tells of its failure itself
		if g.Text != "" && g.home != t.conv.ID && (g.home == "" || t.goesOn()) && (t.goal.Text != "" && t.goal.same(g) || t.worksOn(g)) {
			g.home = t.conv.ID
		}
		return g
	})
}

// goesOn says whether a turn was begun by the program, to go on toward the goal.
func (t *turn) goesOn() bool {
	return slices.ContainsFunc(t.entries, func(e inbox.Entry) bool { return e.Source == event.SourceGoal })
}

// resumedIn says whether a message resumes a paused goal that is sent in a conversation.
func (g goalRun) resumedIn(conv string, m event.Inbound) bool {
	return g.resumedBy(m) && (m.Source == event.SourceGoal || g.home == "" || g.home == conv)
}

// retriedIn says whether a message that the user had tried again, sent before the goal was paused,
// resumes it as one does that they type now: it is the goal itself, or of the goal's conversation.
func (g goalRun) retriedIn(conv string, e inbox.Entry) bool {
	if !e.Retried || g.Text == "" || g.Status != event.GoalPaused || e.Source != event.SourceDirect || e.Mode != event.ModeAct {
		return false
	}
	return e.Text == g.Text || g.home == conv || g.home == "" && !e.Time.Before(g.Set)
}

// leftBehind tells, once in a conversation, that a goal of another one stays paused although the
// user writes.
func (p *Processor) leftBehind(t *turn) {
	g := p.goalRun()
	if g.toldIn == t.conv.ID || !slices.ContainsFunc(t.entries, func(e inbox.Entry) bool { return g.resumedBy(e.Inbound) }) {
		return
	}
	_ = p.changeGoal(false, func(g goalRun) goalRun { // it tells of its failure itself
		g.toldIn = t.conv.ID
		return g
	})
	p.bus.Publish(event.Notice{Meta: t.meta(), Text: fmt.Sprintf("The goal “%s” belongs to an earlier conversation and stays paused.", text.Excerpt(g.Text, 80))})
}

// elsewhere says whether the goal's conversation is over for what comes next: the user wants
// another one, or another process began one.
func (p *Processor) elsewhere(g goalRun) bool {
	if g.home == "" || p.begins() {
		return g.home != ""
	}
	c, err := p.opt.Conversations.Active()
	return err == nil && c != nil && c.ID != g.home
}
