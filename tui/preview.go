package tui

import (
	"fmt"
	"path"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"chatvault/internal/session"
	"chatvault/tui/chat"
	"chatvault/tui/dialog"
	"chatvault/tui/list"
	"chatvault/tui/phrase"
)

type (
	previewMsg struct {
		cited Citation
		session.Preview
		err error
	}
	// editNoteMsg opens a note in the editor, editedNoteMsg is after it.
	editNoteMsg struct {
		path string
		line int
	}
	editedNoteMsg struct{ err error }
	// openNoteMsg opens a note in Obsidian.
	openNoteMsg struct{ cited Citation }
	// stepMsg shows another citation of the selected item.
	stepMsg struct{ n int }
)

// previewing is the note that is shown.
type previewing struct {
	dialog *dialog.Preview // nil: none
	cited  Citation
}

// preview shows the note of a citation.
func (m *Model) preview(c Citation) tea.Cmd {
	ctx, read := m.ctx, m.o.Citing.Preview
	return func() tea.Msg {
		p, err := read(ctx, c)
		return previewMsg{c, p, err}
	}
}

// showPreview shows a note above the transcript, in the place of the one that was shown.
func (m *Model) showPreview(msg previewMsg) tea.Cmd {
	over := m.previews()
	switch {
	case msg.err != nil:
		return m.pass(phrase.Line(msg.cited.Path)+" could not be read: "+msg.err.Error(), 3*quitWindow)
	case !over && !m.dialogs.Empty():
		return nil // something that is to be decided came up meanwhile
	case over:
		m.dialogs.Remove(m.shownNote.dialog)
	}
	at := msg.Line - msg.First + 1
	if msg.Line == 0 || at < 0 {
		at = 0
	}
	note := chat.NewNote(m.env, msg.Text, at, msg.Markdown)
	column := list.New(chat.Gap)
	column.Append(note)
	o := dialog.PreviewOptions{
		Title: noteName(msg.Path), Path: msg.Path, Note: msg.Note, Column: column,
		Place: func(height int) {
			column.Home()
			if row := note.Row(column.Width()); row > height*2/3 { // else it is in sight from the beginning
				column.ScrollDown(row - height/4)
			}
		},
		Writing: func() bool { return !m.composer.Empty() },
	}
	if msg.Line > 0 {
		o.Path += fmt.Sprintf(":%d", msg.Line)
	}
	if m.o.Citing.Edit != nil {
		o.Edit = editNoteMsg{msg.Path, msg.Line}
	}
	if m.o.Citing.Open != nil {
		o.Open, o.OpenName = openNoteMsg{msg.cited}, "Obsidian"
	}
	if len(m.selection.Citations()) > 1 {
		o.Next, o.Before = stepMsg{1}, stepMsg{-1}
	}
	m.shownNote = previewing{dialog.NewPreview(m.styles, o), msg.cited}
	m.dialogs.Push(m.shownNote.dialog)
	return nil
}

// previews says whether a note is shown, and nothing above it.
func (m *Model) previews() bool {
	p, ok := m.dialogs.Top().(*dialog.Preview)
	return ok && p == m.shownNote.dialog
}

// noteName is what a note is called: its file's name, without what says that it is a note.
func noteName(p string) string {
	name := path.Base(p)
	if ext := path.Ext(name); strings.EqualFold(ext, ".md") {
		return strings.TrimSuffix(name, ext)
	}
	return name
}

// stepPreview shows another citation of the selected item.
func (m *Model) stepPreview(n int) tea.Cmd {
	hint := m.chooseStep(n)
	if c, ok := m.selection.Chosen(); ok && m.previews() {
		return m.preview(c)
	}
	return hint
}

// editCited opens the note of a citation in the editor: where it is cited has to be found first.
func (m *Model) editCited(c Citation) tea.Cmd {
	if c.Line > 0 || c.Anchor == "" || m.o.Citing.Preview == nil {
		return m.editNote(editNoteMsg{c.Path, c.Line})
	}
	ctx, read := m.ctx, m.o.Citing.Preview
	return func() tea.Msg {
		p, _ := read(ctx, c) // the editor says what is wrong with the file
		return editNoteMsg{c.Path, p.Line}
	}
}

// editNote gives the terminal to the editor.
func (m *Model) editNote(msg editNoteMsg) tea.Cmd {
	command, err := m.o.Citing.Edit(m.ctx, msg.path, msg.line)
	if err != nil {
		return m.pass(err.Error(), 3*quitWindow)
	}
	return m.exec(command, func(err error) tea.Msg { return editedNoteMsg{err} })
}

// editedNote is after the editor: the note may be another now.
func (m *Model) editedNote(msg editedNoteMsg) tea.Cmd {
	m.env.Citations.Doubt()
	cmds := []tea.Cmd{m.sized()}
	if msg.err != nil {
		cmds = append(cmds, m.pass("The editor ended with an error: "+msg.err.Error(), 3*quitWindow))
	}
	if m.previews() {
		cmds = append(cmds, m.preview(m.shownNote.cited))
	}
	return tea.Batch(cmds...)
}

// openNote opens a note in Obsidian.
func (m *Model) openNote(msg openNoteMsg) tea.Cmd {
	ctx, open := m.ctx, m.o.Citing.Open
	return func() tea.Msg {
		if err := open(ctx, msg.cited); err != nil {
			return hintMsg{err.Error()}
		}
		return hintMsg{"Obsidian is asked to show " + phrase.Line(msg.cited.Path)}
	}
}
