package chat

import (
	"fmt"

	"github.com/charmbracelet/x/ansi"

	"chatvault/tui/markdown"
	"chatvault/tui/safe"
	"chatvault/tui/theme"
)

// maxLookBack is how many lines of a reflection are shown where details are folded.
const maxLookBack = 8

// Retrospection is a reflection on a conversation that ended, a card of its own. A long one is
// folded.
type Retrospection struct {
	document
	title    string
	proposal string // what it proposes, and how that stands
	waits    bool   // for the user
	foot     drawn
}

// NewRetrospection makes the card of the conversation with the given title.
func NewRetrospection(env *Env, title, content string) *Retrospection {
	r := &Retrospection{document: document{env: env}, title: safe.Line(title)}
	r.append(safe.Text(content))
	r.finish()
	return r
}

// Propose says that something is proposed, and how it stands: it waits for the user, or was
// decided.
func (r *Retrospection) Propose(text string, waits bool) {
	r.proposal, r.waits = safe.Line(text), waits
	r.foot.touch()
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
	out := append(make([]string, 0, len(lines)+2), head)
	if n := len(lines) - maxLookBack; n > 1 && !r.env.Details {
		out = append(out, lines[:maxLookBack]...)
		out = append(out, bar+s.Muted.Render(ansi.Truncate(fmt.Sprintf("… %d more lines · Ctrl+T", n), textWidth(width), "")))
	} else {
		out = append(out, lines...)
	}
	return clip(append(out, r.foot.get(width, r.proposed)...), width)
}

// proposed draws what is proposed.
func (r *Retrospection) proposed(width int) []string {
	if r.proposal == "" {
		return nil
	}
	s := r.env.Styles
	mark, style := s.Muted.Render("·")+" ", s.Muted
	if r.waits {
		mark, style = s.Warn.Render("›")+" ", s.Warn
	}
	return marked(mark, "  ", markdown.Wrap(r.proposal, theme.Open(style), textWidth(width)))
}
