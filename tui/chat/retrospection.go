package chat

import (
	"fmt"

	"github.com/charmbracelet/x/ansi"

	"chatvault/internal/terminal"
	"chatvault/tui/markdown"
	"chatvault/tui/theme"
)

// maxLookBack is the number of lines shown of a folded reflection.
const maxLookBack = 8

// Retrospection is a reflection on an ended conversation, shown as a card and streamed. A long one is folded, unless
// it was read while streaming.
type Retrospection struct {
	document
	safe  terminal.Sanitizer
	title string
	cut   string // why it is incomplete; empty if it is complete

	from []string // the lines on which the last drawing was based
	card
}

// NewRetrospection returns a card for the conversation with the given title.
func NewRetrospection(env *Env, title string) *Retrospection {
	return &Retrospection{document: document{env: env}, card: card{env: env}, title: terminal.Line(title)}
}

// Append adds a piece of the streamed text.
func (r *Retrospection) Append(piece string) { r.append(r.safe.Write(piece)) }

// Finish sets the complete content, or why it was cut short.
func (r *Retrospection) Finish(content, cut string) {
	if !r.empty() && !r.Unfolded() {
		r.Flip()
	}
	r.clear()
	r.append(terminal.Text(content))
	r.finish()
	r.cut = terminal.Line(cut)
	r.touch()
}

// Folds reports whether the text is long enough to be folded.
func (r *Retrospection) Folds() bool { return len(r.document.lines) > maxLookBack+1 }

// Lines implements list.Item.
func (r *Retrospection) Lines(width int) []string {
	lines := r.draw(textWidth(width), "")
	if !r.done || !same(r.from, lines) {
		r.from = lines
		r.touch()
	}
	return r.get(width, func(width int) []string { return r.whole(lines, width) })
}

func (r *Retrospection) whole(lines []string, width int) []string {
	s := r.document.env.Styles
	title := "Review"
	if r.title != "" {
		title += ": " + r.title
	}
	bar := s.Muted.Render("┊")
	n := len(lines) - maxLookBack
	if n > 1 && !r.open && r.done {
		lines = lines[:maxLookBack]
	} else {
		n = 0
	}
	out := append(make([]string, 0, len(lines)+3), s.Accent.Render("✦")+" "+s.AccentBold.Render(ansi.Truncate(title, textWidth(width), "…")))
	for _, l := range lines {
		if l != "" {
			l = " " + l
		}
		out = append(out, bar+l)
	}
	if n > 0 {
		out = append(out, bar+" "+s.Muted.Render(ansi.Truncate(fmt.Sprintf("… %d more lines · %s", n, r.document.env.DetailsKey), textWidth(width), "")))
	}
	switch {
	case r.cut != "":
		out = append(out, marked(bar+" ", bar+" ", markdown.Wrap("Cut short: "+r.cut, theme.Open(s.Warn), textWidth(width)))...)
	case !r.done:
		out = append(out, bar+" "+s.Muted.Render("…"))
	}
	return out
}
