package chat

import (
	"strings"

	"chatvault/internal/terminal"
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
