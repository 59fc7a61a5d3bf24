package chat

import (
	"fmt"

	"chatvault/internal/terminal"
	"chatvault/tui/markdown"
	"chatvault/tui/theme"
)

// maxChanges bounds how many changes are listed.
const maxChanges = 8

// Archived says that turns left the active path of the conversation, and what they had changed
// in the vault: that is not taken back with them, unless the user wanted it.
type Archived struct {
	env           *Env
	what          string
	changed       []string
	back, refused []string
	drawn
}

// NewArchived makes the item; what says what happened, changed has one line for each change.
func NewArchived(env *Env, what string, changed []string) *Archived {
	return &Archived{env: env, what: terminal.Line(what), changed: changed}
}

// TakenBack says what of it was taken back, and what could not be, and why: a line each.
func (a *Archived) TakenBack(done, refused []string) {
	a.back, a.refused = done, refused
	a.touch()
}

// Lines draws it.
func (a *Archived) Lines(width int) []string {
	return a.get(width, func(width int) []string {
		s, room := a.env.Styles, textWidth(width)
		muted := theme.Open(s.Muted)
		lines := markdown.Wrap(a.what, muted, room)
		list := func(head, style string, items []string, say func(string) string) {
			if len(items) > 0 {
				lines = append(lines, markdown.Wrap(head, style, room)...)
			}
			for i, c := range items {
				if i == maxChanges-1 && len(items) > maxChanges {
					lines = append(lines, s.Muted.Render(fmt.Sprintf("  … %d more", len(items)-i)))
					break
				}
				lines = append(lines, marked("• ", "  ", markdown.Wrap(say(terminal.Line(c)), "", max(room-2, 1)))...)
			}
		}
		list("Undone:", muted, a.back, Sentence)
		list("Unchanged:", theme.Open(s.Warn), a.refused, asItIs)
		list("Their changes to the vault are not undone:", theme.Open(s.Warn), a.changed, Sentence)
		return marked(s.Muted.Render("·")+" ", "  ", lines)
	})
}

// asItIs leaves a line that begins with a note's name as it is.
func asItIs(line string) string { return line }
