package chat

import (
	"strings"

	"chatvault/internal/base/terminal"
)

// Notice is a quiet line of information.
type Notice struct{ words }

// words is a report of a single text.
type words struct {
	said string
	report
	dated
}

// Raw implements Sourced.
func (w *words) Raw() (string, bool) { return w.said, true }

// NewNotice returns a notice.
func NewNotice(env *Env, text string) *Notice {
	text = terminal.Text(text)
	return &Notice{words{said: text, report: newReport(env, func(p *page) string {
		p.text(p.Muted, text)
		return p.Muted.Render("·")
	})}}
}

// Error describes a failure in its first line and the next step in the others.
type Error struct{ words }

// NewError returns an error item.
func NewError(env *Env, text string) *Error {
	text = terminal.Text(text)
	return &Error{words{said: text, report: newReport(env, func(p *page) string {
		what, next, _ := strings.Cut(strings.TrimSpace(text), "\n")
		p.text(p.ErrorBold, what)
		p.text(p.Text, strings.TrimSpace(next))
		return p.ErrorBold.Render("✗")
	})}}
}

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
