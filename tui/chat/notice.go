package chat

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"chatvault/internal/terminal"
	"chatvault/tui/markdown"
	"chatvault/tui/theme"
)

// Notice is a quiet line of information.
type Notice struct{ words }

// words is a report of a single text.
type words struct {
	text string
	report
	dated
}

// Raw implements Sourced.
func (w *words) Raw() (string, bool) { return w.text, true }

// Words implements Sourced.
func (w *words) Words(b []byte) []byte { return append(b, w.text...) }

// NewNotice returns a notice.
func NewNotice(env *Env, text string) *Notice {
	text = terminal.Text(text)
	return &Notice{words{text: text, report: newReport(env, func(s *theme.Styles, room int) (string, []string) {
		return s.Muted.Render("·"), markdown.Wrap(text, theme.Open(s.Muted), room)
	})}}
}

// Error describes a failure in its first line and the next step in the others.
type Error struct{ words }

// NewError returns an error item.
func NewError(env *Env, text string) *Error {
	text = terminal.Text(text)
	return &Error{words{text: text, report: newReport(env, func(s *theme.Styles, room int) (string, []string) {
		what, next, _ := strings.Cut(strings.TrimSpace(text), "\n")
		lines := markdown.Wrap(what, theme.Open(s.ErrorBold), room)
		if next = strings.TrimSpace(next); next != "" {
			lines = append(lines, markdown.Wrap(next, "", room)...)
		}
		return s.ErrorBold.Render("✗"), lines
	})}}
}

// Stopped reports that the user stopped a turn, and the changes made before.
type Stopped struct {
	report
	dated
}

// NewStopped returns the item. next describes what happens now, changed lists the changes, and back is the hint for
// reverting them; back may be empty.
func NewStopped(env *Env, next string, changed []string, back string) *Stopped {
	next, back = terminal.Line(next), terminal.Line(back)
	return &Stopped{report: newReport(env, func(s *theme.Styles, room int) (string, []string) {
		lines := []string{s.WarnBold.Render("Stopped") + s.Muted.Render(ansi.Truncate(" · "+next, max(room-7, 0), "…"))}
		if len(changed) > 0 {
			lines = append(lines, markdown.Wrap("Already done before the stop:", theme.Open(s.Muted), room)...)
			lines = append(lines, bullets("•", changed, room)...)
			if back != "" {
				lines = append(lines, markdown.Wrap(back, theme.Open(s.Muted), room)...)
			}
		}
		return s.Warn.Render("■"), lines
	})}
}
