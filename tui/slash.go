package tui

import (
	"chatvault/agent/event"
)

// hintMsg is a passing word for the status line.
type hintMsg struct{ text string }

// turnRuns is why a command has to wait.
const turnRuns = "A turn is running: stop it with Esc, or wait"

// typed is a message as it was typed, command and all.
func (o *outgoing) typed() string {
	if o.mode == event.ModePlan {
		return "/plan " + o.text
	}
	return o.text
}

// planMode is the mode of a message that asks for a plan, or does not.
func planMode(plan bool) event.Mode {
	if plan {
		return event.ModePlan
	}
	return event.ModeAct
}

// tagOf says what a message of the user is for; empty for an ordinary one.
func tagOf(in event.Inbound, g event.Goal) string {
	switch {
	case in.Mode == event.ModePlan:
		return "plan"
	case in.Text == g.Text && g.Text != "":
		return "goal"
	}
	return ""
}
