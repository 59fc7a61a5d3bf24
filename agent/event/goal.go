package event

import (
	"time"
)

// GoalStatus is where a goal stands.
type GoalStatus string

// The statuses of a goal.
const (
	GoalActive   GoalStatus = "active"   // the agent works toward it
	GoalChecking GoalStatus = "checking" // a turn ended; whether it is met is being found out
	GoalMet      GoalStatus = "met"
	GoalPaused   GoalStatus = "paused" // stopped, out of budget, at its limit of turns; the next message resumes it
)

// Goal is what the agent keeps working toward over several turns.
type Goal struct {
	Text     string     `json:"text"`
	Status   GoalStatus `json:"status"`
	Why      string     `json:"why,omitempty"` // the last check's reason, or why it is paused
	Turns    int        `json:"turns"`         // that worked toward it since it was set or resumed
	MaxTurns int        `json:"max_turns"`
	Set      time.Time  `json:"set"`
	Failed   bool       `json:"failed,omitempty"` // paused because something failed, at no limit
}

// InProgress says whether the agent goes on toward the goal by itself.
func (g Goal) InProgress() bool {
	return g.Text != "" && (g.Status == GoalActive || g.Status == GoalChecking)
}
