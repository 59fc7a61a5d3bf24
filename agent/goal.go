package agent

import "time"

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
}

// SetGoal makes text what the agent keeps working toward, from the next turn on; empty text
// drops the goal.
func (p *Processor) SetGoal(text string) (Goal, error) { return Goal{Text: text}, nil }

// Goal is the goal as it stands; one without text is none.
func (p *Processor) Goal() Goal { return Goal{} }

// ResumeGoal goes on with a paused goal.
func (p *Processor) ResumeGoal() error { return nil }
