package chat

import (
	"slices"

	"chatvault/internal/base/cells"
	"chatvault/internal/base/terminal"
)

// Retrospection is a reflection on an ended conversation, shown as a card and streamed.
type Retrospection struct {
	document
	safe  terminal.Sanitizer
	title string
	cut   string // why it is incomplete; empty if it is complete
}

// NewRetrospection returns a card for the conversation with the given title.
func NewRetrospection(env *Env, title string) *Retrospection {
	return &Retrospection{document: newDocument(env), title: terminal.Line(title)}
}

// Append adds a piece of the streamed text.
func (r *Retrospection) Append(piece string) { r.append(r.safe.Write(piece)) }

// Finish sets the complete content, or why it was cut short.
func (r *Retrospection) Finish(content, cut string) {
	r.clear()
	r.append(terminal.Text(content))
	r.finish()
	r.cut = terminal.Line(cut)
	r.touch()
}

// Lines implements list.Item.
func (r *Retrospection) Lines(width int) []string {
	lines := r.draw(textWidth(width), "")
	return r.get(width, nil, func(width int) []string { return r.whole(lines, width) })
}

func (r *Retrospection) whole(lines []string, width int) []string {
	s := r.env.Styles
	title := "Review"
	if r.title != "" {
		title += ": " + r.title
	}
	bar := s.Muted.Render("┊") + " "
	below := page{Styles: s, room: textWidth(width)}
	if r.cut != "" {
		below.text(s.Warn, "Cut short: "+r.cut)
	} else if !r.done {
		below.line(s.Muted, "…")
	}
	out := []string{s.Accent.Render("✦") + " " + s.AccentBold.Render(cells.Truncate(title, textWidth(width), "…"))}
	return append(out, marked(bar, bar, append(slices.Clone(lines), below.lines...))...)
}
