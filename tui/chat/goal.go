package chat

import (
	"strings"

	"chatvault/internal/terminal"
	"chatvault/tui/markdown"
	"chatvault/tui/theme"
)

// maxGoalLines bounds a step toward the goal: it repeats what was said.
const maxGoalLines = 3

// GoalStep is a message of the program's own by which the agent goes on toward the goal.
type GoalStep struct {
	env  *Env
	text string
	opens
	drawn
}

// NewGoalStep makes a step.
func NewGoalStep(env *Env, text string) *GoalStep {
	return &GoalStep{env: env, text: terminal.Line(strings.TrimSpace(text))}
}

// Lines draws it.
func (g *GoalStep) Lines(width int) []string {
	return g.get(width, func(width int) []string {
		s := g.env.Styles
		lines := markdown.Wrap("goal · "+g.text, theme.Open(s.Muted), textWidth(width))
		if len(lines) > maxGoalLines {
			lines = append(lines[:maxGoalLines-1:maxGoalLines-1], s.Muted.Render("…"))
		}
		return marked(s.Muted.Render("↻")+" ", "  ", lines)
	})
}

// GoalEnd says that the goal is met, or that the agent no longer works toward it.
type GoalEnd struct {
	env       *Env
	met       bool
	what, why string
	drawn
}

// NewGoalEnd makes the item: what happened to the goal, and why.
func NewGoalEnd(env *Env, met bool, what, why string) *GoalEnd {
	return &GoalEnd{env: env, met: met, what: terminal.Text(what), why: terminal.Text(why)}
}

// Lines draws it.
func (g *GoalEnd) Lines(width int) []string {
	return g.get(width, func(width int) []string {
		s := g.env.Styles
		sign, style := s.Warn.Render("‖"), s.WarnBold
		if g.met {
			sign, style = s.OK.Render("✓"), s.Bold
		}
		lines := markdown.Wrap(g.what, theme.Open(style), textWidth(width))
		if g.why != "" {
			lines = append(lines, markdown.Wrap(g.why, theme.Open(s.Muted), textWidth(width))...)
		}
		return marked(sign+" ", "  ", lines)
	})
}
