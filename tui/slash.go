package tui

import (
	tea "github.com/charmbracelet/bubbletea"

	"chatvault/agent/event"
)

// hintMsg is a passing word for the status line.
type hintMsg struct{ text string }

// turnRuns is why a command has to wait.
const turnRuns = "A turn runs: stop it with Esc first, or wait"

// planName is the command that has a plan made.
const planName = "plan"

// planCommand is /plan with words after it: a turn of its own.
func (m *Model) planCommand(words string) tea.Cmd {
	return m.submit(event.Inbound{Text: words, Mode: event.ModePlan, Hold: true})
}

// compact is /compact: what comes of it is told by events.
func (m *Model) compact() tea.Cmd {
	if m.busy() {
		return m.pass(turnRuns, 2*quitWindow)
	}
	compact := m.o.Compact
	return func() tea.Msg {
		if err := compact(); err != nil {
			return hintMsg{"Nothing was summarised: " + err.Error()}
		}
		return nil
	}
}

// typed is a message as it was typed, command and all.
func (o *outgoing) typed() string {
	if o.mode == event.ModePlan {
		return "/" + planName + " " + o.text
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
