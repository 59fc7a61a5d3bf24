package chat

import (
	"slices"
	"strings"

	"chatvault/internal/base/cells"
	"chatvault/internal/base/prose"
	"chatvault/internal/base/prosediff"
	"chatvault/internal/base/terminal"
	"chatvault/internal/base/text"
)

// Notice is a quiet line of information.
type Notice struct{ words }

// words is a report of a single text.
type words struct {
	said string
	report
}

// Raw implements Sourced.
func (w *words) Raw() string { return w.said }

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

// GoalStep is a message sent by the program to continue toward the goal, in one line since it repeats earlier text.
type GoalStep struct {
	report
}

// NewGoalStep returns an item for the message.
func NewGoalStep(env *Env, text string) *GoalStep {
	text = terminal.Line(strings.TrimSpace(text))
	return &GoalStep{report: newReport(env, func(p *page) string {
		p.line(p.Muted, "goal · "+text)
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

// Changed shows a change of the vault, including the text changes of a note.
type Changed struct{ report }

// NewChanged returns the item. what describes the change in one line, note is an optional remark, and diff is nil if
// no text is shown.
func NewChanged(env *Env, what, note string, diff *prosediff.Diff) *Changed {
	what, note = text.Capital(terminal.Line(what)), terminal.Line(note)
	view := prose.New(env.Styles.Prose, diff)
	return &Changed{newReport(env, func(p *page) string {
		p.text(p.Bold, what)
		if sum := view.Sum(); !view.Empty() && !p.beside(sum) {
			p.line(p.Muted, sum)
		}
		p.text(p.Muted, note)
		if !view.Empty() {
			p.lines = append(p.lines, "")
			for _, r := range view.Rows(p.room) {
				p.lines = append(p.lines, r.Text)
			}
		}
		return p.Accent.Render("◇")
	})}
}

// Undone is the result of an undo or redo.
type Undone struct{ report }

// NewUndone returns the item. mark is its sign and title names what was undone; done lists the reverted changes, left
// those not reverted and why, and next is the hint for reversing it. Each may be empty. remarks follow, one per line.
func NewUndone(env *Env, mark, title string, done, left []string, next string, remarks ...string) *Undone {
	return &Undone{newReport(env, func(p *page) string {
		p.text(p.AccentBold, terminal.Line(title))
		p.beside(terminal.Line(next))
		p.list("•", text.Of(done, text.Capital))
		if len(left) > 0 {
			p.text(p.WarnBold, "Unchanged:")
			p.list(p.Warn.Render("•"), left)
		}
		for _, l := range remarks {
			p.text(p.Muted, terminal.Line(l))
		}
		return p.Accent.Render(mark)
	})}
}

// NewArchived returns an item for turns that left the active branch of the conversation. what is its headline; changed
// lists their changes of the vault, which remain.
func NewArchived(env *Env, what string, changed []string) *Undone {
	if len(changed) > 0 {
		changed = slices.Insert(text.Of(changed, func(c string) string { return "• " + text.Capital(c) }), 0, "Their changes to the vault are not undone:")
	}
	return NewUndone(env, "·", what, nil, nil, "", changed...)
}

// Stopped reports that the user stopped a turn, and the changes made before.
type Stopped struct {
	report
}

// NewStopped returns the item. next describes what happens now, changed lists the changes, and back is the hint for
// reverting them; back may be empty.
func NewStopped(env *Env, next string, changed []string, back string) *Stopped {
	return &Stopped{report: newReport(env, func(p *page) string {
		p.lines = []string{p.WarnBold.Render("Stopped") + p.Muted.Render(cells.Truncate(" · "+terminal.Line(next), max(p.room-7, 0), "…"))}
		if len(changed) > 0 {
			p.text(p.Muted, "Already done before the stop:")
			p.list("•", changed)
			p.text(p.Muted, terminal.Line(back))
		}
		return p.Warn.Render("■")
	})}
}
