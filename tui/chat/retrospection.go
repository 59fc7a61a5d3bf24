package chat

import (
	"github.com/charmbracelet/x/ansi"

	"chatvault/tui/safe"
)

// Retrospection is a reflection on a conversation that ended, a card of its own.
type Retrospection struct {
	document
	title string
}

// NewRetrospection makes the card of the conversation with the given title.
func NewRetrospection(env *Env, title, content string) *Retrospection {
	r := &Retrospection{document: document{env: env}, title: safe.Line(title)}
	r.append(safe.Text(content))
	r.finish()
	return r
}

// Lines draws the card.
func (r *Retrospection) Lines(width int) []string {
	s := r.env.Styles
	title := "Looking back"
	if r.title != "" {
		title += ": " + r.title
	}
	bar := s.Muted.Render("┊") + " "
	lines := r.draw(textWidth(width), bar)
	head := s.Accent.Render("✦") + " " + s.AccentBold.Render(ansi.Truncate(title, textWidth(width), "…"))
	return clip(append([]string{head}, lines...), width)
}
