package chat

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"chatvault/internal/terminal"
	"chatvault/tui/markdown"
	"chatvault/tui/theme"
)

// Notice is a quiet line about something that is no error.
type Notice struct{ words }

// words are a report that says one text.
type words struct {
	text string
	report
	dated
}

// Raw is the text.
func (w *words) Raw() (string, bool) { return w.text, true }

// Words are those of the text.
func (w *words) Words(b []byte) []byte { return append(b, w.text...) }

// NewNotice makes a notice.
func NewNotice(env *Env, text string) *Notice {
	text = terminal.Text(text)
	return &Notice{words{text: text, report: newReport(env, func(s *theme.Styles, room int) (string, []string) {
		return s.Muted.Render("·"), markdown.Wrap(text, theme.Open(s.Muted), room)
	})}}
}

// Error is what failed and what to do: its first line says what, the others what next.
type Error struct{ words }

// NewError makes an error.
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

// Stopped says that the user stopped a turn and what its tools had already done.
type Stopped struct {
	report
	dated
}

// NewStopped makes the item; next says what comes now, changed has one line for each change, back
// says how they are taken back, or is empty.
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
