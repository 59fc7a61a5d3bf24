package chat

import (
	"fmt"

	"chatvault/tui/markdown"
	"chatvault/tui/safe"
	"chatvault/tui/theme"
)

// maxChanges bounds how many changes are listed.
const maxChanges = 8

// Archived says that turns left the active path of the conversation, and what they had changed
// in the vault: that is not taken back with them.
type Archived struct {
	env     *Env
	what    string
	changed []string
	drawn
}

// NewArchived makes the item; what says what happened, changed has one line for each change.
func NewArchived(env *Env, what string, changed []string) *Archived {
	return &Archived{env: env, what: safe.Line(what), changed: changed}
}

// Lines draws it.
func (a *Archived) Lines(width int) []string {
	return a.get(width, func(width int) []string {
		s, room := a.env.Styles, textWidth(width)
		muted := theme.Open(s.Muted)
		lines := markdown.Wrap(a.what, muted, room)
		if len(a.changed) > 0 {
			lines = append(lines, markdown.Wrap("What they did to the vault is not taken back:", theme.Open(s.Warn), room)...)
		}
		for i, c := range a.changed {
			if i == maxChanges-1 && len(a.changed) > maxChanges {
				lines = append(lines, s.Muted.Render(fmt.Sprintf("  … %d more", len(a.changed)-i)))
				break
			}
			lines = append(lines, marked("• ", "  ", markdown.Wrap(safe.Line(c), "", max(room-2, 1)))...)
		}
		return marked(s.Muted.Render("·")+" ", "  ", lines)
	})
}
