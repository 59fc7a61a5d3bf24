package agent

import (
	"fmt"
	"strings"
	"time"
	"unicode"

	"chatvault/agent/event"
	"chatvault/internal/text"
)

const (
	maxGoalText   = 4000 // bytes
	maxGoalWhy    = 300  // runes
	maxIdleTurns  = 2    // turns of the goal's own, in a row, that used no tool and brought nothing new
	maxUnclear    = 2    // checks in a row that could not be understood
	maxGoalSaid   = 4    // turns whose words count as said before
	saidAgain     = 0.8  // share of words said before from which on a turn says nothing new
	maxSaidWords  = 2000 // words of a turn that are looked at
	minFreshWords = 3    // fewer new words are none
)

// Why a goal is paused, as the user reads it.
const (
	goalStoppedWhy   = "you stopped it"
	goalRestartedWhy = "chatvault was restarted"
	goalAskedWhy     = "it waits for your answer"
	goalBudgetWhy    = "the turn's budget was used up"
	goalIdleWhy      = "two turns in a row brought nothing new"
	goalUnclearWhy   = "the check gave no clear answer twice"
	goalUnknownWhy   = "whether it is met cannot be judged"
	goalPlanWhy      = "you left the plan as it is"
)

// goalRun is a goal with what is counted while it is worked toward. It is a plain value: what
// happens makes another of it.
type goalRun struct {
	event.Goal
	since   time.Time // messages sent from then on work toward it
	due     bool      // a turn worked toward it since it was last checked
	idle    int
	unclear int
	said    []map[string]bool // words of the newest turns
	account goalAccount
	home    string       // the conversation it belongs to; empty: no turn has worked toward it yet
	asked   bool         // the newest turn asked the user something
	toldIn  string       // the other conversation in which it was told that it stays paused
	conv    string       // the conversation of the newest turn
	used    event.Totals // by that turn
}

// same says whether two are of one goal, as it may have changed meanwhile.
func (g goalRun) same(o goalRun) bool { return g.Text == o.Text && g.Set.Equal(o.Set) }

// newGoal is a goal that was just set.
func newGoal(text string, maxTurns int, now time.Time) goalRun {
	return goalRun{Goal: event.Goal{Text: text, Status: event.GoalActive, MaxTurns: maxTurns, Set: now}, since: now}
}

// resumed goes on with a paused goal: all counts begin anew.
func (g goalRun) resumed(since time.Time) goalRun {
	fresh := newGoal(g.Text, g.MaxTurns, g.Set)
	fresh.since, fresh.due = since, true
	return fresh
}

// paused waits for the user.
func (g goalRun) paused(why string, now time.Time) goalRun {
	g.Status, g.Why, g.since, g.due = event.GoalPaused, text.Excerpt(why, maxGoalWhy), now, false
	return g
}

// failed waits for the user because something went wrong.
func (g goalRun) failed(why string, now time.Time) goalRun {
	g = g.paused(why, now)
	g.Failed = true
	return g
}

// goalEnd is how a turn ended, as a goal sees it.
type goalEnd struct {
	Reason  event.StopReason // empty: it was stopped or failed
	Stopped bool
	Failed  string // why, where it failed
	Left    bool   // a plan was left as it is
	Worked  bool   // some message of it was sent since the goal was set or resumed
	Own     bool   // the program began it, to go on toward the goal
	Acted   bool   // it used a tool
	Said    string
	Account turnAccount
}

// afterTurn is the goal after a turn.
func (g goalRun) afterTurn(e goalEnd, now time.Time) goalRun {
	switch {
	case !g.InProgress():
		return g
	case e.Stopped:
		return g.paused(goalStoppedWhy, now)
	case !e.Worked:
		g.Status = event.GoalActive
		return g
	case e.Failed != "":
		return g.failed("the turn failed: "+e.Failed, now)
	case e.Left:
		return g.paused(goalPlanWhy, now)
	}
	g.Status = event.GoalActive
	g.Turns++
	g.account = g.account.with(e.Account)
	g.asked = e.Reason == event.StopWaiting
	switch e.Reason {
	case event.StopBudget:
		return g.paused(goalBudgetWhy, now)
	case event.StopWaiting:
		g.due = false
		return g
	}
	g.due = true
	words := wordsOf(e.Said)
	switch {
	case e.Acted || saysNew(words, g.said):
		g.idle = 0
	case e.Own: // what the user says in between is nothing that the agent repeats
		g.idle++
	}
	g.said = append(g.said[:len(g.said):len(g.said)], words)
	if n := len(g.said) - maxGoalSaid; n > 0 {
		g.said = g.said[n:]
	}
	return g
}

// goalVerdict is what a check came to.
type goalVerdict struct {
	Clear   bool // it could be understood
	Met     bool
	Unknown bool // it cannot be found out, whatever the agent does next
	Why     string
}

// afterCheck is the goal after it was checked.
func (g goalRun) afterCheck(v goalVerdict, now time.Time) goalRun {
	if !g.InProgress() {
		return g
	}
	g.Status, g.due = event.GoalActive, false
	if !v.Clear {
		if g.unclear++; g.unclear >= maxUnclear {
			return g.failed(goalUnclearWhy, now)
		}
		v.Why = "the check gave no clear answer"
	} else {
		g.unclear = 0
	}
	g.Why = text.Excerpt(v.Why, maxGoalWhy)
	switch {
	case v.Met:
		g.Status = event.GoalMet
	case v.Unknown:
		return g.paused(because(goalUnknownWhy, v.Why), now)
	case g.Turns >= g.MaxTurns:
		return g.paused(fmt.Sprintf("it reached its limit of turns (goal_max_turns = %d)%s", g.MaxTurns, stillWhy(g.Why)), now)
	case g.idle >= maxIdleTurns:
		return g.paused(goalIdleWhy+stillWhy(g.Why), now)
	}
	return g
}

func because(what, why string) string {
	if why == "" {
		return what
	}
	return what + ": " + why
}

func stillWhy(why string) string {
	if why == "" {
		return ""
	}
	return "; not met yet: " + why
}

// worksOn says whether a message works toward the goal: it is the goal itself, or was sent since
// that was set or resumed.
func (g goalRun) worksOn(m event.Inbound) bool {
	return m.Source != event.SourceWebSocket && !m.Time.Before(g.since) || m.Source == event.SourceDirect && m.Text == g.Text
}

// resumedBy says whether a message resumes a paused goal: the user typed it, to be worked on,
// after the goal was paused, or had one tried again that goes on toward the goal.
func (g goalRun) resumedBy(m event.Inbound) bool {
	return g.Text != "" && g.Status == event.GoalPaused &&
		(m.Source == event.SourceGoal || m.Source == event.SourceDirect && m.Mode == event.ModeAct && m.Time.After(g.since))
}

// nextText is what is said to the agent to go on.
func (g goalRun) nextText() string {
	text := "Go on toward the goal."
	if g.Why != "" {
		text += " Not met yet: " + g.Why
	}
	return text
}

// wordsOf are the words of a text, each once, without regard to case.
func wordsOf(text string) map[string]bool {
	words := map[string]bool{}
	for w := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if words[w] = true; len(words) >= maxSaidWords {
			break
		}
	}
	return words
}

// saysNew says whether enough of a turn's words were not said in those before.
func saysNew(words map[string]bool, before []map[string]bool) bool {
	fresh := 0
	for w := range words {
		old := false
		for _, b := range before {
			old = old || b[w]
		}
		if !old {
			fresh++
		}
	}
	if len(before) == 0 {
		return fresh > 0
	}
	return fresh >= minFreshWords && float64(len(words)-fresh) < saidAgain*float64(len(words))
}
