package tui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"chatvault/agent/event"
	"chatvault/internal/terminal"
	"chatvault/internal/text"
	"chatvault/tui/chat"
	"chatvault/tui/dialog"
	"chatvault/tui/loop"
	"chatvault/tui/phrase"
	"chatvault/tui/usage"
)

// goal is what the screen knows of the goal.
type goal struct {
	seen  bool // the user has gone on since it was met: it is no news any more
	since time.Time
}

// checkingGoal says that it is being found out whether the goal is met, while no turn runs.
func (m *Model) checkingGoal() bool {
	return m.state.Goal.Status == event.GoalChecking && !m.state.Turn.Running
}

// goalChanged notes how the goal stands now, and says so where the agent stopped working on it.
func (m *Model) goalChanged(was event.Goal) {
	g := m.state.Goal
	m.goal = goal{since: m.now()}
	if !m.state.Turn.Running && g.Status != event.GoalActive {
		m.turn.stopping = false // it was the check that was stopped, not what comes
	}
	if g.Text == "" || g.Status == was.Status && g.Text == was.Text {
		return
	}
	switch g.Status {
	case event.GoalMet:
		m.say(chat.NewGoalEnd(m.env, true, "Goal met: "+phrase.First(g.Text), g.Why))
	case event.GoalPaused:
		m.say(chat.NewGoalEnd(m.env, false, "Goal paused: "+phrase.First(g.Text),
			phrase.Both(text.Capital(phrase.Ended(g.Why)), "/goal resume or your next message continues it; /goal drop ends it.")))
	}
}

// minReason is the least room in which a reason is begun, in cells.
const minReason = 12

// towardGoal says whether a turn's messages are the program's own.
func (m *Model) towardGoal(ids []string) bool {
	return len(ids) > 0 && !slices.ContainsFunc(ids, func(id string) bool { return m.received[id].Source != event.SourceGoal })
}

// goalText is how the goal stands, for the status line, in at most room cells: with the reason,
// or as much of it as there is room for, or without. It is empty where there is nothing to say.
func goalText(g event.Goal, room int) string {
	if g.Text == "" {
		return ""
	}
	before, why, after := goalWords(g)
	if why = text.OneLine(terminal.Line(why)); why != "" {
		whole := before + ": " + why + after
		if left := room - ansi.StringWidth(before+": "+after); left >= minReason || ansi.StringWidth(whole) <= room {
			return before + ": " + ansi.Truncate(why, left, "…") + after
		}
	}
	least, _, _ := strings.Cut(before, " · ")
	return phrase.Fitting([]string{before + after, before, least, ""}, room)
}

// goalWords are how the goal stands, why, and what to do about it.
func goalWords(g event.Goal) (before, why, after string) {
	turns := "goal"
	if g.MaxTurns > 0 {
		turns = fmt.Sprintf("goal %d/%d", g.Turns, g.MaxTurns)
	}
	switch g.Status {
	case event.GoalChecking: // what is going on stands at the left
		return turns, "", ""
	case event.GoalMet:
		return "goal met", "", ""
	case event.GoalPaused:
		return "goal paused", g.Why, " · /goal resume"
	}
	if g.Why == "" {
		return turns, "", ""
	}
	return turns + " · not met", g.Why, ""
}

// goalNow is goalText of what is news.
func (m *Model) goalNow(room int) string {
	if m.goal.seen && m.state.Goal.Status == event.GoalMet {
		return ""
	}
	return goalText(m.state.Goal, room)
}

// askUsage is /cost.
func (m *Model) askUsage() tea.Cmd {
	ask := m.o.Usage
	return func() tea.Msg {
		conversation, day, err := ask.Usage()
		var all event.Costs
		if err == nil {
			all, err = ask.Costs()
		}
		return loop.Do(func() tea.Cmd {
			if err != nil {
				return m.flash("The usage could not be read: "+err.Error(), 3*quitWindow)
			}
			m.dialogs.Push(dialog.NewHelp(m.styles, usage.Usage(m.state.Usage).Sections(conversation, day, all.Days, m.now())))
			return nil
		})
	}
}
