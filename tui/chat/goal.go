package chat

import (
	"strings"

	"chatvault/internal/terminal"
	"chatvault/tui/markdown"
	"chatvault/tui/theme"
)

// maxGoalLines bounds the lines of a goal step, which repeats earlier text.
const maxGoalLines = 3

// GoalStep is a message sent by the program to continue toward the goal.
type GoalStep struct {
	report
	opens
}

// NewGoalStep returns an item for the message.
func NewGoalStep(env *Env, text string) *GoalStep {
	text = terminal.Line(strings.TrimSpace(text))
	return &GoalStep{report: newReport(env, func(s *theme.Styles, room int) (string, []string) {
		lines := markdown.Wrap("goal · "+text, theme.Open(s.Muted), room)
		if len(lines) > maxGoalLines {
			lines = append(lines[:maxGoalLines-1:maxGoalLines-1], s.Muted.Render("…"))
		}
		return s.Muted.Render("↻"), lines
	})}
}

// GoalEnd reports that the goal was met or abandoned.
type GoalEnd struct{ report }

// NewGoalEnd returns the item: what happened to the goal, and why.
func NewGoalEnd(env *Env, met bool, what, why string) *GoalEnd {
	what, why = terminal.Text(what), terminal.Text(why)
	return &GoalEnd{newReport(env, func(s *theme.Styles, room int) (string, []string) {
		sign, style := s.Warn.Render("‖"), s.WarnBold
		if met {
			sign, style = s.OK.Render("✓"), s.Bold
		}
		lines := markdown.Wrap(what, theme.Open(style), room)
		if why != "" {
			lines = append(lines, markdown.Wrap(why, theme.Open(s.Muted), room)...)
		}
		return sign, lines
	})}
}
