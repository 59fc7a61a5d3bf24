package agent

import (
	"slices"
	"strings"
	"time"

	"chatvault/agent/event"
	"chatvault/agent/inbox"
	"chatvault/agent/prompts"
	"chatvault/tools"
)

// What a turn and the goal have to do with each other: a message resumes the goal, the model is
// told of it, and how the turn ended is what the goal goes by.

// resumeBy goes on with a paused goal where a message of the turn does so.
func (p *Processor) resumeBy(t *turn) {
	g := p.goalRun()
	if !slices.ContainsFunc(t.entries, func(e inbox.Entry) bool { return g.resumedIn(t.conv.ID, e.Inbound) || g.retriedIn(t.conv.ID, e) }) {
		p.leftBehind(t)
		return
	}
	since := t.entries[0].Time
	for _, e := range t.entries {
		if e.Time.Before(since) {
			since = e.Time
		}
	}
	_ = p.changeGoal(false, func(g goalRun) goalRun { // it tells of its failure itself
		if g.Status != event.GoalPaused {
			return g
		}
		return g.resumed(since)
	})
	p.dropGoalMessages() // this turn goes on where those ended
}

// goalContext tells the model of the goal, where a message of the turn works toward it.
func (p *Processor) goalContext(t *turn) (string, error) {
	g := p.goalRun()
	if !g.InProgress() || !t.worksOn(g) {
		return "", nil
	}
	t.goal = g
	return p.turnPrompt(t)(prompts.Goal, nil)
}

// setsGoal says whether the turn is the first of a goal that was just set, and nothing else: what
// the agent had asked before is not what the message is about.
func (t *turn) setsGoal(g goalRun) bool {
	return g.InProgress() && g.Turns == 0 && !slices.ContainsFunc(t.entries, func(e inbox.Entry) bool {
		return e.Source != event.SourceDirect || e.Mode != event.ModeAct || e.Text != g.Text || e.Time.Before(g.Set)
	})
}

func (p *Processor) goalRun() goalRun {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.goal
}

// worksOn says whether a message of the turn works toward the goal.
func (t *turn) worksOn(g goalRun) bool {
	return slices.ContainsFunc(t.entries, func(e inbox.Entry) bool { return g.worksOn(e.Inbound) })
}

// goalTurn says to the goal how a turn ended. A turn that the end of the program cut, or that
// was not needed, counts for nothing.
func (p *Processor) goalTurn(t *turn, out Outcome, err error) {
	if t.answered || err != nil && t.cutBy(errShutdown) || !p.goalRun().InProgress() {
		return
	}
	e := goalEnd{Reason: out.Reason, Left: t.plan == planForsake}
	if over := p.opt.Budget.spentBy(out.Used) != ""; over && e.Reason != "" && e.Reason != event.StopWaiting { // the check would be one call too many
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
	e.Account = accountOf(t.text(), out)
	e.Said = e.Account.Said
	_ = p.changeGoal(false, func(g goalRun) goalRun { // it tells of its failure itself
		e.Worked, e.Own = t.worksOn(g), !slices.ContainsFunc(t.entries, func(e inbox.Entry) bool { return e.Source != event.SourceGoal })
		if g.used = out.Used; t.conv != nil {
			g.conv = t.conv.ID
		}
		return g.afterTurn(e, time.Now())
	})
}

// situate fills a prompt's variables of the goal.
func (g goalRun) situate(v *prompts.Vars) {
	if g.InProgress() {
		v.Goal, v.GoalTurn, v.GoalMaxTurns, v.GoalWhy = g.Text, g.Turns+1, g.MaxTurns, g.Why
	}
}
