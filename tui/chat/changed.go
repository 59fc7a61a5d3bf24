package chat

import (
	"fmt"

	"github.com/charmbracelet/x/ansi"

	"chatvault/internal/prose"
	"chatvault/internal/prosediff"
	"chatvault/internal/terminal"
	"chatvault/internal/text"
	"chatvault/tui/markdown"
	"chatvault/tui/theme"
)

// Changed shows a change of the vault, including the text changes of a note.
type Changed struct {
	what string
	note string
	view *prose.View
	card
}

// NewChanged returns the item. what describes the change in one line, note is an optional remark, and diff is nil if
// no text is shown.
func NewChanged(env *Env, what, note string, diff *prosediff.Diff) *Changed {
	return &Changed{card: card{env: env}, what: terminal.Line(what), note: terminal.Line(note), view: prose.New(env.Styles.Prose, diff)}
}

// Lines implements list.Item.
func (c *Changed) Lines(width int) []string {
	return c.paint(width, func(s *theme.Styles, room int) []string {
		out := markdown.Wrap(text.Capital(c.what), theme.Open(s.Bold), room)
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

// report is a static item with a sign and text.
type report struct {
	draw func(s *theme.Styles, room int) (sign string, lines []string)
	card
}

func newReport(env *Env, draw func(s *theme.Styles, room int) (sign string, lines []string)) report {
	return report{draw: draw, card: card{env: env}}
}

func (r *report) Lines(width int) []string {
	return r.paint(width, func(s *theme.Styles, room int) []string {
		sign, lines := r.draw(s, room)
		return marked(sign+" ", "  ", lines)
	})
}

// Undone is the result of an undo or redo.
type Undone struct{ report }

// NewUndone returns the item. mark is its sign and title names what was undone; done lists the reverted changes, left
// those not reverted and why, and next is the hint for reversing it. Each may be empty. remarks follow, one per line.
func NewUndone(env *Env, mark, title string, done, left []string, next string, remarks ...string) *Undone {
	title, next = terminal.Line(title), terminal.Line(next)
	return &Undone{newReport(env, func(s *theme.Styles, room int) (string, []string) {
		out := markdown.Wrap(title, theme.Open(s.AccentBold), room)
		if last := len(out) - 1; next != "" && ansi.StringWidth(out[last])+ansi.StringWidth(next)+3 <= room {
			out[last] += s.Muted.Render(" · " + next)
		}
		out = append(out, bullets("•", text.Of(done, text.Capital), room)...)
		if len(left) > 0 {
			out = append(out, markdown.Wrap("Unchanged:", theme.Open(s.WarnBold), room)...)
			out = append(out, bullets(s.Warn.Render("•"), left, room)...)
		}
		for _, l := range remarks {
			out = append(out, markdown.Wrap(terminal.Line(l), theme.Open(s.Muted), room)...)
		}
		return s.Accent.Render(mark), out
	})}
}

// maxChanges bounds the number of listed changes.
const maxChanges = 8

// Archived marks turns that left the active branch of the conversation and lists their changes of the vault, which
// remain unless the user chose to revert them.
type Archived struct{ report }

// NewArchived returns the item. what is its headline; changed lists the changes, back those reverted, and refused
// those that could not be reverted and why.
func NewArchived(env *Env, what string, changed, back, refused []string) *Archived {
	what = terminal.Line(what)
	return &Archived{newReport(env, func(s *theme.Styles, room int) (string, []string) {
		muted := theme.Open(s.Muted)
		lines := markdown.Wrap(what, muted, room)
		list := func(head, style string, items []string) {
			if len(items) == 0 {
				return
			}
			lines = append(lines, markdown.Wrap(head, style, room)...)
			if len(items) <= maxChanges {
				lines = append(lines, bullets("•", items, room)...)
				return
			}
			lines = append(lines, bullets("•", items[:maxChanges-1], room)...)
			lines = append(lines, s.Muted.Render(fmt.Sprintf("  … %d more", len(items)-maxChanges+1)))
		}
		list("Undone:", muted, text.Of(back, text.Capital))
		list("Unchanged:", theme.Open(s.Warn), refused)
		list("Their changes to the vault are not undone:", theme.Open(s.Warn), text.Of(changed, text.Capital))
		return s.Muted.Render("·"), lines
	})}
}

// bullets returns untrusted texts as a list with the given sign.
func bullets(sign string, texts []string, room int) []string {
	var out []string
	for _, t := range texts {
		out = append(out, marked(sign+" ", "  ", markdown.Wrap(terminal.Line(t), "", max(room-2, 1)))...)
	}
	return out
}
