package tui

import (
	"context"
	"fmt"
	"path"

	tea "charm.land/bubbletea/v2"

	"chatvault/internal/app/session"
	"chatvault/internal/app/session/cite"
	"chatvault/tui/chat"
	"chatvault/tui/complete"
	"chatvault/tui/dialog"
	"chatvault/tui/list"
	"chatvault/tui/loop"
	"chatvault/tui/phrase"
)

// Citing provides access to the notes that answers refer to. If Resolve is nil, references are not resolved; any
// other nil function disables its feature.
type Citing struct {
	// Resolve returns a Destination for each reference.
	Resolve func(ctx context.Context, refs []cite.Reference) ([]cite.Destination, error)
	// Link returns the URL that opens a citation from the terminal, or an empty string. It is nil if the terminal
	// does not support links.
	Link func(cite.Citation) string
	// Preview reads the note of a citation.
	Preview func(ctx context.Context, c cite.Citation) (session.Preview, error)
	// Edit returns a command that opens a note in the user's editor, at a line or, for 0, at its beginning.
	Edit func(ctx context.Context, path string, line int) (tea.ExecCommand, error)
	// Open opens the note of a citation in Obsidian.
	Open func(ctx context.Context, c cite.Citation) error
}

// cite resolves the drawn references that are unknown. The visible text stays in place. After a failure, they stay plain
// text until Invalidate.
func (v *preview) cite() tea.Cmd {
	if v.env.Citations == nil {
		return nil
	}
	refs := v.env.Citations.Wanted()
	if len(refs) == 0 {
		return nil
	}
	resolve := func(ctx context.Context) ([]cite.Destination, error) { return v.o.Citing.Resolve(ctx, refs) }
	return loop.Then(v.ctx, resolve, func(where []cite.Destination, err error) tea.Cmd {
		if err != nil || len(where) != len(refs) {
			where = make([]cite.Destination, len(refs))
		}
		v.redraw(func() { v.env.Citations.Found(refs, where) })
		return nil
	})
}

// preview shows the notes that answers refer to.
type preview struct {
	*shared
	dialog *dialog.Reader // nil if none is open
	cited  cite.Citation
}

// show reads and shows the note of a citation.
func (v *preview) show(c cite.Citation) tea.Cmd {
	read := func(ctx context.Context) (session.Preview, error) { return v.o.Citing.Preview(ctx, c) }
	return loop.Then(v.ctx, read, func(p session.Preview, err error) tea.Cmd { return v.opened(c, p, err) })
}

// opened shows a note above the transcript and replaces the one shown before.
func (v *preview) opened(cited cite.Citation, p session.Preview, err error) tea.Cmd {
	over := v.previews()
	switch {
	case err != nil:
		return v.flash(phrase.Line(cited.Path)+" could not be read: "+err.Error(), 3*quitWindow)
	case !over && !v.dialogs.Empty():
		return nil // another dialog opened in the meantime
	case over:
		v.dialogs.Remove(v.dialog)
	}
	at := p.Line - p.First + 1
	if p.Line == 0 || at < 0 {
		at = 0
	}
	note := chat.NewNote(v.env, p.Text, at, p.Markdown)
	column := list.New(chat.Gap)
	column.Append(note)
	o := dialog.Alone{
		Where: p.Path, Warning: p.Note, Keys: map[string]any{},
		Place: func(height int) {
			column.Home()
			if row := note.Row(column.Width()); row > height*2/3 { // otherwise it is visible without scrolling
				column.ScrollDown(row - height/4)
			}
		},
	}
	if p.Line > 0 {
		o.Where += fmt.Sprintf(":%d", p.Line)
	}
	o.Foot = []string{"j k d u scroll"}
	if v.o.Citing.Edit != nil {
		o.Keys["e"] = loop.Do(func() tea.Cmd { return v.editNote(p.Path, p.Line) })
		o.Foot = append(o.Foot, "e editor")
	}
	if v.o.Citing.Open != nil || v.o.Citing.Edit != nil {
		o.Keys["o"] = loop.Do(func() tea.Cmd { return v.openNote(cited) })
	}
	if v.o.Citing.Open != nil {
		o.Foot = append(o.Foot, "o Obsidian")
	}
	if len(v.selection.Citations()) > 1 {
		o.Keys["tab"], o.Keys["shift+tab"] = v.stepPreview(1), v.stepPreview(-1)
		o.Foot = append(o.Foot, "Tab next note")
	}
	o.Foot = append(o.Foot, "Esc back")
	v.dialog, v.cited = dialog.NewAlone(v.styles, complete.WithoutMD(path.Base(p.Path)), column, o, !v.composer.Empty()), cited
	v.dialogs.Push(v.dialog)
	return nil
}

// previews reports whether a note is the top dialog.
func (v *preview) previews() bool {
	p, ok := v.dialogs.Top().(*dialog.Reader)
	return ok && p == v.dialog
}

// stepPreview returns a loop.Do that shows another citation of the selected item.
func (v *preview) stepPreview(n int) loop.Do {
	return func() tea.Cmd {
		hint := v.chooseStep(n)
		if c, ok := v.selection.Chosen(); ok && v.previews() {
			return v.show(c)
		}
		return hint
	}
}

// editCited opens the note of a citation in the editor, after looking up the line if necessary.
func (v *preview) editCited(c cite.Citation) tea.Cmd {
	if c.Line > 0 || c.Anchor == "" || v.o.Citing.Preview == nil {
		return v.editNote(c.Path, c.Line)
	}
	read := func(ctx context.Context) (session.Preview, error) { return v.o.Citing.Preview(ctx, c) }
	return loop.Then(v.ctx, read, func(p session.Preview, _ error) tea.Cmd { return v.editNote(c.Path, p.Line) }) // reports errors
}

// editNote hands the terminal to the editor. Afterwards the note may have changed.
func (v *preview) editNote(path string, line int) tea.Cmd {
	command, err := v.o.Citing.Edit(v.ctx, path, line)
	if err != nil {
		return v.flash(err.Error(), 3*quitWindow)
	}
	return tea.Exec(command, func(err error) tea.Msg { return loop.Do(func() tea.Cmd { return v.editedNote(err) }) })
}

func (v *preview) editedNote(err error) tea.Cmd {
	v.env.Citations.Invalidate()
	var cmds []tea.Cmd
	if err != nil {
		cmds = append(cmds, v.flash("The editor failed: "+err.Error(), 3*quitWindow))
	}
	if v.previews() {
		cmds = append(cmds, v.show(v.cited))
	}
	return tea.Batch(cmds...)
}

// openNote opens a note in Obsidian or, where nothing can open that, in the editor.
func (v *preview) openNote(c cite.Citation) tea.Cmd {
	ctx, open := v.ctx, v.o.Citing.Open
	if open == nil {
		return v.editCited(c)
	}
	return func() tea.Msg {
		if err := open(ctx, c); err != nil {
			return hintMsg{err.Error()}
		}
		return hintMsg{"Opening in Obsidian: " + phrase.Line(c.Path)}
	}
}
