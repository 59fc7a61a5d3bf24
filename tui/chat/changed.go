package chat

import (
	"fmt"

	"github.com/charmbracelet/x/ansi"

	"chatvault/internal/prose"
	"chatvault/internal/prosediff"
	"chatvault/internal/terminal"
	"chatvault/tui/markdown"
	"chatvault/tui/theme"
)

// Changed is a change of the vault, to be read: what happened, and how a note became another.
type Changed struct {
	env  *Env
	what string
	note string
	view *prose.View
	drawn
}

// NewChanged makes the item. what says in a line what happened, note what should be known of it,
// or is empty; diff is nil where nothing of it is shown.
func NewChanged(env *Env, what, note string, diff *prosediff.Diff) *Changed {
	return &Changed{env: env, what: terminal.Line(what), note: terminal.Line(note), view: prose.New(env.Styles.Prose, diff)}
}

// Lines draws it.
func (c *Changed) Lines(width int) []string {
	return c.get(width, func(width int) []string {
		s, room := c.env.Styles, textWidth(width)
		out := markdown.Wrap(Sentence(c.what), theme.Open(s.Bold), room)
		if long, _ := c.view.Sum(); !c.view.Empty() {
			if last := len(out) - 1; ansi.StringWidth(out[last])+ansi.StringWidth(long)+3 <= room {
				out[last] += s.Muted.Render(" · " + long)
			} else {
				out = append(out, s.Muted.Render(ansi.Truncate(long, room, "…")))
			}
		}
		if c.note != "" {
			out = append(out, markdown.Wrap(c.note, theme.Open(s.Muted), room)...)
		}
		if !c.view.Empty() {
			out = append(out, "")
			for _, r := range c.view.Rows(room) {
				out = append(out, r.Text)
			}
		}
		return marked(s.Accent.Render("◇")+" ", "  ", out)
	})
}

// Undone says what became of an undo or a redo.
type Undone struct {
	env         *Env
	mark, title string
	lines       []string
	left        []string
	next        string
	remarks     []string
	drawn
}

// NewUndone makes the item. mark is its sign, title says what was taken back, lines what was done,
// left what was left as it is, with why, and next how it can be undone; each may be empty.
func NewUndone(env *Env, mark, title string, lines, left []string, next string) *Undone {
	return &Undone{env: env, mark: mark, title: terminal.Line(title), lines: lines, left: left, next: terminal.Line(next)}
}

// Remark says more below it, a line each.
func (u *Undone) Remark(lines ...string) {
	u.remarks = append(u.remarks, lines...)
	u.touch()
}

// Lines draws it.
func (u *Undone) Lines(width int) []string {
	return u.get(width, func(width int) []string {
		s, room := u.env.Styles, textWidth(width)
		out := markdown.Wrap(u.title, theme.Open(s.AccentBold), room)
		if last := len(out) - 1; u.next != "" && ansi.StringWidth(out[last])+ansi.StringWidth(u.next)+3 <= room {
			out[last] += s.Muted.Render(" · " + u.next)
		}
		for _, l := range u.lines {
			out = append(out, marked("• ", "  ", markdown.Wrap(Sentence(terminal.Line(l)), "", max(room-2, 1)))...)
		}
		if len(u.left) > 0 {
			out = append(out, markdown.Wrap("Unchanged:", theme.Open(s.WarnBold), room)...)
			for _, l := range u.left {
				out = append(out, marked(s.Warn.Render("•")+" ", "  ", markdown.Wrap(terminal.Line(l), "", max(room-2, 1)))...)
			}
		}
		for _, l := range u.remarks {
			out = append(out, markdown.Wrap(terminal.Line(l), theme.Open(s.Muted), room)...)
		}
		return marked(s.Accent.Render(u.mark)+" ", "  ", out)
	})
}

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
