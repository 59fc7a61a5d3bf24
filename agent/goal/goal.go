// Package goal implements goals over several turns: their state after turns and checks (Run, a plain value), how a
// check is asked and read, and how a goal is stored.
package goal

import (
	"fmt"
	"slices"
	"time"

	"chatvault/agent/event"
	"chatvault/agent/inbox"
	"chatvault/agent/prompts"
	"chatvault/internal/base/text"
)

// MaxText bounds the text of a goal, in bytes.
const MaxText = 4000

const maxWhy = 300 // runes

// Why a goal is paused, as the user reads it.
const (
	WhyStopped   = "you stopped it"
	WhyRestarted = "chatvault was restarted"
	WhyBudget    = "the turn's budget was used up"
	WhyUnknown   = "it cannot be judged whether it is met"
	WhyPlan      = "you declined the plan"
	WhyNew       = "another conversation was started"
	WhyAgent     = "the agent ended the conversation"
)

// Run is a goal with the counts of the work toward it. It is a plain value: its methods return changed copies.
type Run struct {
	Record
	since   time.Time    // messages sent from then on work toward it
	Due     bool         // a turn has worked toward it since the last check
	changes []string     // since it was set or resumed, a line each
	Used    event.Totals // by the newest turn
}

// Same reports whether two values are of the same goal.
func (g Run) Same(o Run) bool { return g.Text == o.Text && g.Set.Equal(o.Set) }

// New returns a new goal.
func New(text string, maxTurns int, now time.Time) Run {
	return Run{Record: Record{Goal: event.Goal{Text: text, Status: event.GoalActive, MaxTurns: maxTurns, Set: now}}, since: now}
}

// Resume resumes a paused goal with all counts reset.
func (g Run) Resume(since time.Time) Run {
	if g.Status != event.GoalPaused {
		return g
	}
	fresh := New(g.Text, g.MaxTurns, g.Set)
	fresh.since, fresh.Due = since, true
	return fresh
}

// Pause pauses the goal until the user continues.
func (g Run) Pause(why string, now time.Time) Run {
	g.Status, g.Why, g.since, g.Due = event.GoalPaused, text.Excerpt(why, maxWhy), now, false
	return g
}

// Fail pauses the goal because of an error.
func (g Run) Fail(why string, now time.Time) Run {
	g = g.Pause(why, now)
	g.Failed = true
	return g
}

// TurnEnd is the end of a turn.
type TurnEnd struct {
	Reason  event.StopReason // empty: it was stopped or failed
	Stopped bool
	Failed  string // error text
	Left    bool   // a plan was declined
	Worked  bool   // one of its messages was sent since the goal was set or resumed
	Changes []string
}

// AfterTurn returns the goal after a turn.
func (g Run) AfterTurn(e TurnEnd, now time.Time) Run {
	switch {
	case !g.InProgress():
		return g
	case e.Stopped:
		return g.Pause(WhyStopped, now)
	case !e.Worked:
		g.Status = event.GoalActive
		return g
	case e.Failed != "":
		return g.Fail("the turn failed: "+e.Failed, now)
	case e.Left:
		return g.Pause(WhyPlan, now)
	}
	g.Status = event.GoalActive
	g.Turns++
	g.changes = append(slices.Clone(g.changes), e.Changes...)
	g.changes = g.changes[max(0, len(g.changes)-maxChanges):]
	switch e.Reason {
	case event.StopBudget:
		return g.Pause(WhyBudget, now)
	case event.StopRefused, event.StopCut:
		return g.Fail("the provider ended the answer early", now)
	}
	g.Due = e.Reason != event.StopWaiting
	return g
}

// Verdict is the result of a check.
type Verdict struct {
	Met     bool
	Unknown bool // it cannot be judged, or the answer was not clear
	Why     string
}

// AfterCheck returns the goal after a check.
func (g Run) AfterCheck(v Verdict, now time.Time) Run {
	if !g.InProgress() {
		return g
	}
	g.Status, g.Due = event.GoalActive, false
	g.Why = text.Excerpt(v.Why, maxWhy)
	switch {
	case v.Met:
		g.Status = event.GoalMet
	case v.Unknown:
		return g.Pause(WhyUnknown+after(": ", v.Why), now)
	case g.Turns >= g.MaxTurns:
		return g.Pause(fmt.Sprintf("it reached its limit of turns (goal_max_turns = %d)%s", g.MaxTurns, after("; not met yet: ", g.Why)), now)
	}
	return g
}

// after returns why, if it is not empty, after a prefix.
func after(before, why string) string {
	if why == "" {
		return ""
	}
	return before + why
}

// WorksOn reports whether a message works toward the goal: it is the goal itself, or was sent after that was set or
// resumed.
func (g Run) WorksOn(m event.Inbound) bool {
	return m.Source != event.SourceWebSocket && !m.Time.Before(g.since) || m.Source == event.SourceDirect && m.Text == g.Text
}

// NextText returns the message that continues the work.
func (g Run) NextText() string {
	return "Keep working toward the goal." + after(" Not met yet: ", g.Why)
}

// Worked reports whether a turn has worked toward it since it was set or resumed.
func (g Run) Worked() bool { return g.Turns > 0 }

// ResumedIn reports whether a message in a conversation resumes a paused goal: one sent for the goal, or one that the user
// typed in its conversation since, or retries there or with the goal's text.
func (g Run) ResumedIn(conv string, e inbox.Entry) bool {
	here := g.Conversation == "" || g.Conversation == conv
	switch {
	case g.Text == "", g.Status != event.GoalPaused:
		return false
	case e.Source == event.SourceDirect && e.Mode == event.ModeAct:
		return here && (e.Retried || e.Time.After(g.since)) || e.Retried && e.Text == g.Text
	}
	return e.Source == event.SourceGoal
}

// Fill fills a prompt's variables of the goal.
func (g Run) Fill(v *prompts.Vars) {
	if g.InProgress() {
		v.Goal, v.GoalTurn, v.GoalMaxTurns, v.GoalWhy = g.Text, g.Turns+1, g.MaxTurns, g.Why
	}
}

// Record is the goal as state.json holds it.
type Record struct {
	event.Goal
	Owner string `json:"owner"` // the process that works toward it, see lock.Owner
	// Conversation is its conversation; empty until a turn has worked toward it.
	Conversation string `json:"conversation,omitempty"`
}

// Stored returns the stored form of a goal. A running check is not stored.
func (r Record) Stored() Record {
	if r.Status == event.GoalChecking {
		r.Status = event.GoalActive
	}
	return r
}

// Left returns the goal for a process that loads it: a goal in progress is paused.
func (r *Record) Left(now time.Time) Run {
	g := Run{Record: *r, since: now}
	if g.InProgress() {
		g = g.Pause(WhyRestarted, now)
	}
	return g
}
