package chat

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"chatvault/internal/terminal"
	"chatvault/tui/markdown"
	"chatvault/tui/theme"
)

// Notice is a quiet line about something that is no error.
type Notice struct {
	text string
	dated
	card
}

// NewNotice makes a notice.
func NewNotice(env *Env, text string) *Notice {
	return &Notice{card: card{env: env}, text: terminal.Text(text)}
}

// Lines draws it.
func (n *Notice) Lines(width int) []string {
	return n.paint(width, func(s *theme.Styles, room int) []string {
		return marked(s.Muted.Render("·")+" ", "  ", markdown.Wrap(n.text, theme.Open(s.Muted), room))
	})
}

// Error is what failed and what to do: its first line says what, the others what next.
type Error struct {
	text string
	dated
	card
}

// NewError makes an error.
func NewError(env *Env, text string) *Error {
	return &Error{card: card{env: env}, text: terminal.Text(text)}
}

// Lines draws it.
func (e *Error) Lines(width int) []string {
	return e.paint(width, func(s *theme.Styles, room int) []string {
		what, next, _ := strings.Cut(strings.TrimSpace(e.text), "\n")
		lines := markdown.Wrap(what, theme.Open(s.ErrorBold), room)
		if next = strings.TrimSpace(next); next != "" {
			lines = append(lines, markdown.Wrap(next, "", room)...)
		}
		return marked(s.ErrorBold.Render("✗")+" ", "  ", lines)
	})
}

// Stopped says that the user stopped a turn and what its tools had already done.
type Stopped struct {
	next    string
	changed []string
	back    string
	dated
	card
}

// NewStopped makes the item; next says what comes now, changed has one line for each change, back
// says how they are taken back, or is empty.
func NewStopped(env *Env, next string, changed []string, back string) *Stopped {
	return &Stopped{card: card{env: env}, next: terminal.Line(next), changed: changed, back: terminal.Line(back)}
}

// Lines draws it.
func (x *Stopped) Lines(width int) []string {
	return x.paint(width, func(s *theme.Styles, room int) []string {
		lines := []string{s.WarnBold.Render("Stopped") + s.Muted.Render(ansi.Truncate(" · "+x.next, max(room-7, 0), "…"))}
		if len(x.changed) > 0 {
			lines = append(lines, markdown.Wrap("Already done before the stop:", theme.Open(s.Muted), room)...)
			for _, c := range x.changed {
				lines = append(lines, marked("• ", "  ", markdown.Wrap(terminal.Line(c), "", max(room-2, 1)))...)
			}
			if x.back != "" {
				lines = append(lines, markdown.Wrap(x.back, theme.Open(s.Muted), room)...)
			}
		}
		return marked(s.Warn.Render("■")+" ", "  ", lines)
	})
}
