package tui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"chatvault/agent/event"
	"chatvault/internal/base/cells"
	"chatvault/internal/base/terminal"
	"chatvault/internal/base/text"
	"chatvault/tui/chat"
	"chatvault/tui/dialog"
	"chatvault/tui/loop"
	"chatvault/tui/phrase"
	"chatvault/tui/usage"
)

// checkingGoal reports whether the goal is being checked outside of a turn.
func (s *shared) checkingGoal() bool {
	return s.state.Goal.Status == event.GoalChecking && !s.state.Turn.Running
}

// goalChanged handles a change of the goal and reports when the agent stopped working on it.
func (s *shared) goalChanged(was event.Goal) {
	is := s.state.Goal
	s.since = s.now()
	if is.Text == "" || is.Status == was.Status && is.Text == was.Text {
		return
	}
	switch is.Status {
	case event.GoalMet:
		s.appendItem(chat.NewGoalEnd(s.env, true, "Goal met: "+phrase.First(is.Text), is.Why))
	case event.GoalPaused:
		s.appendItem(chat.NewGoalEnd(s.env, false, "Goal paused: "+phrase.First(is.Text),
			strings.TrimSpace(text.Capital(text.Sentence(is.Why))+" /goal resume or your next message continues it; /goal drop ends it.")))
	}
}

// leastGoal and leastWhy are the minimum widths for the goal's status and for a reason, in cells.
const leastGoal, leastWhy = 9, 14

// goalText returns the goal's status for the status line in at most room cells. It is empty if there is nothing to show.
func goalText(g event.Goal, room int) string {
	said, why := "goal", ""
	if g.MaxTurns > 0 {
		said = fmt.Sprintf("goal %d/%d", g.Turns, g.MaxTurns)
	}
	switch g.Status {
	case event.GoalMet: // the transcript has an item for it
		return ""
	case event.GoalPaused:
		said, why = "goal paused · /goal resume", g.Why
	case event.GoalActive:
		if g.Why != "" {
			why = "not met: " + g.Why
		}
	}
	switch {
	case g.Text == "", room < leastGoal:
		return ""
	case room < cells.Width(said)+leastWhy:
		why = ""
	}
	return cells.Truncate(phrase.Join(said, text.OneLine(terminal.Line(why))), room, "…")
}

// askUsage handles /cost.
func (n *menu) askUsage() tea.Cmd {
	ask := n.o.Usage
	return func() tea.Msg {
		conversation, day, err := ask.Usage()
		return loop.Do(func() tea.Cmd {
			if err != nil {
				return n.flash("The usage could not be read: "+err.Error(), 3*quitWindow)
			}
			n.dialogs.Push(dialog.NewHelp(n.styles, usage.Usage(n.state.Usage).Sections(conversation, day)))
			return nil
		})
	}
}
