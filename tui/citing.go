package tui

import (
	"context"
	"fmt"
	"path"
	"time"

	tea "charm.land/bubbletea/v2"

	"chatvault/internal/session"
	"chatvault/internal/session/cite"
	"chatvault/tui/chat"
	"chatvault/tui/complete"
	"chatvault/tui/dialog"
	"chatvault/tui/list"
	"chatvault/tui/loop"
	"chatvault/tui/phrase"
)

// Citing is how what answers refer to is followed. Without Resolve nothing is looked for; what
// else is nil is not offered.
type Citing struct {
	// Resolve says where references lead, one Destination for each.
	Resolve func(ctx context.Context, refs []cite.Reference) ([]cite.Destination, error)
	// Link is the URL by which the terminal opens a citation; "" where it is none. Nil: the
	// terminal has no links.
	Link func(cite.Citation) string
	// Preview reads a citation's note.
	Preview func(ctx context.Context, c cite.Citation) (session.Preview, error)
	// Edit is the user's editor, which takes the terminal, at a line of a note; 0: at its beginning.
	Edit func(ctx context.Context, path string, line int) (tea.ExecCommand, error)
	// Open opens a citation's note in Obsidian.
	Open func(ctx context.Context, c cite.Citation) error
}

// resolveAgain is how long after a failure references are looked up again.
const resolveAgain = 5 * time.Second

// cite looks up the references that were drawn and are not known. What is being read stays in its place.
func (m *Model) cite() tea.Cmd {
	if m.env.Citations == nil {
		return nil
	}
	refs := m.env.Citations.Wanted()
	if len(refs) == 0 {
		return nil
	}
	resolve := func(ctx context.Context) ([]cite.Destination, error) { return m.o.Citing.Resolve(ctx, refs) }
	return loop.Then(m.ctx, resolve, func(where []cite.Destination, err error) tea.Cmd {
		if err != nil || len(where) != len(refs) {
			return m.tick(resolveAgain, func(time.Time) tea.Msg { return m.citeAgain(refs) })
		}
		m.redraw(func() { m.env.Citations.Found(refs, where) })
		return nil
	})
}

// citeAgain has references looked up again that got no answer.
func (m *Model) citeAgain(refs []cite.Reference) loop.Do {
	return func() tea.Cmd {
		m.env.Citations.Unanswered(refs)
		return nil
	}
}

// previewing is the note that is shown.
type previewing struct {
	dialog *dialog.Reader // nil: none
	cited  cite.Citation
}

// preview shows the note of a citation.
func (m *Model) preview(c cite.Citation) tea.Cmd {
	read := func(ctx context.Context) (session.Preview, error) { return m.o.Citing.Preview(ctx, c) }
	return loop.Then(m.ctx, read, func(p session.Preview, err error) tea.Cmd { return m.showPreview(c, p, err) })
}

// showPreview shows a note above the transcript, in the place of the one that was shown.
func (m *Model) showPreview(cited cite.Citation, p session.Preview, err error) tea.Cmd {
	over := m.previews()
	switch {
	case err != nil:
		return m.flash(phrase.Line(cited.Path)+" could not be read: "+err.Error(), 3*quitWindow)
	case !over && !m.dialogs.Empty():
		return nil // something that is to be decided came up meanwhile
	case over:
		m.dialogs.Remove(m.shownNote.dialog)
	}
	at := p.Line - p.First + 1
	if p.Line == 0 || at < 0 {
		at = 0
	}
	note := chat.NewNote(m.env, p.Text, at, p.Markdown)
	column := list.New(chat.Gap)
	column.Append(note)
	o := dialog.Alone{
		Where: p.Path, Warning: p.Note, Keys: map[string]any{},
		Place: func(height int) {
			column.Home()
			if row := note.Row(column.Width()); row > height*2/3 { // else it is in sight from the beginning
				column.ScrollDown(row - height/4)
			}
		},
	}
	if p.Line > 0 {
		o.Where += fmt.Sprintf(":%d", p.Line)
	}
	o.Foot = []string{"j k d u scroll"}
	if m.o.Citing.Edit != nil {
		o.Keys["e"] = loop.Do(func() tea.Cmd { return m.editNote(p.Path, p.Line) })
		o.Foot = append(o.Foot, "e editor")
	}
	if m.o.Citing.Open != nil {
		o.Keys["o"] = loop.Do(func() tea.Cmd { return m.openNote(cited) })
		o.Foot = append(o.Foot, "o Obsidian")
	}
	if len(m.selection.Citations()) > 1 {
		for _, name := range []string{"tab", "right", "n"} {
			o.Keys[name] = m.stepPreview(1)
		}
		for _, name := range []string{"shift+tab", "left", "N"} {
			o.Keys[name] = m.stepPreview(-1)
		}
		o.Foot = append(o.Foot, "Tab next note")
	}
	o.Foot = append(o.Foot, "Esc back")
	m.shownNote = previewing{dialog.NewAlone(m.styles, complete.WithoutMD(path.Base(p.Path)), column, o, !m.composer.Empty()), cited}
	m.dialogs.Push(m.shownNote.dialog)
	return nil
}

// previews says whether a note is shown, and nothing above it.
func (m *Model) previews() bool {
	p, ok := m.dialogs.Top().(*dialog.Reader)
	return ok && p == m.shownNote.dialog
}

// stepPreview is the result that shows another citation of the selected item.
func (m *Model) stepPreview(n int) loop.Do {
	return func() tea.Cmd {
		hint := m.chooseStep(n)
		if c, ok := m.selection.Chosen(); ok && m.previews() {
			return m.preview(c)
		}
		return hint
	}
}

// editCited opens the note of a citation in the editor: where it is cited has to be found first.
func (m *Model) editCited(c cite.Citation) tea.Cmd {
	if c.Line > 0 || c.Anchor == "" || m.o.Citing.Preview == nil {
		return m.editNote(c.Path, c.Line)
	}
	read := func(ctx context.Context) (session.Preview, error) { return m.o.Citing.Preview(ctx, c) }
	return loop.Then(m.ctx, read, func(p session.Preview, _ error) tea.Cmd { return m.editNote(c.Path, p.Line) }) // the editor says what is wrong
}

// editNote gives the terminal to the editor; after it, the note may be another.
func (m *Model) editNote(path string, line int) tea.Cmd {
	command, err := m.o.Citing.Edit(m.ctx, path, line)
	if err != nil {
		return m.flash(err.Error(), 3*quitWindow)
	}
	return tea.Exec(command, func(err error) tea.Msg { return loop.Do(func() tea.Cmd { return m.editedNote(err) }) })
}

func (m *Model) editedNote(err error) tea.Cmd {
	m.env.Citations.Invalidate()
	var cmds []tea.Cmd
	if err != nil {
		cmds = append(cmds, m.flash("The editor failed: "+err.Error(), 3*quitWindow))
	}
	if m.previews() {
		cmds = append(cmds, m.preview(m.shownNote.cited))
	}
	return tea.Batch(cmds...)
}

// openNote opens a note in Obsidian.
func (m *Model) openNote(c cite.Citation) tea.Cmd {
	ctx, open := m.ctx, m.o.Citing.Open
	return func() tea.Msg {
		if err := open(ctx, c); err != nil {
			return hintMsg{err.Error()}
		}
		return hintMsg{"Opening in Obsidian: " + phrase.Line(c.Path)}
	}
}
