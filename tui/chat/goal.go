package chat

import (
	"strings"

	"chatvault/internal/terminal"
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
	return &GoalStep{report: newReport(env, func(p *page) string {
		p.text(p.Muted, "goal · "+text)
		if len(p.lines) > maxGoalLines {
			p.lines = append(p.lines[:maxGoalLines-1], p.Muted.Render("…"))
		}
		return p.Muted.Render("↻")
	})}
}

// GoalEnd reports that the goal was met or abandoned.
type GoalEnd struct{ report }

// NewGoalEnd returns the item: what happened to the goal, and why.
func NewGoalEnd(env *Env, met bool, what, why string) *GoalEnd {
	return &GoalEnd{newReport(env, func(p *page) string {
		sign, style := p.Warn.Render("‖"), p.WarnBold
		if met {
			sign, style = p.OK.Render("✓"), p.Bold
		}
		p.text(style, terminal.Text(what))
		p.text(p.Muted, terminal.Text(why))
		return sign
	})}
}
