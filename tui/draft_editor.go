package tui

import (
	"chatvault/tui/chat"
	"context"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
)

// DraftEditor gives a text to the user's editor, which takes the terminal. The text is in a file of
// its own before the editor begins, so that nothing of it is lost however that ends. Done is called
// after it, with whether the editor failed, and gives what the file holds then; the file goes.
type DraftEditor func(ctx context.Context, text string) (command tea.ExecCommand, done func(failed bool) (string, error), err error)

type (
	// editorReadyMsg is the editor that is about to have the terminal.
	editorReadyMsg struct {
		command tea.ExecCommand
		done    func(failed bool) (string, error)
		before  string
		err     error
	}
	editedDraftMsg struct {
		before, text string
		err          error
	}
)

// editDraft opens what is written in the user's editor.
func (m *Model) editDraft() tea.Cmd {
	edit, ctx, text, d := m.o.EditDraft, m.ctx, m.composer.Value(), m.draft
	if edit == nil {
		return nil
	}
	m.draft.set(m.written())
	return func() tea.Msg {
		d.flush()
		command, done, err := edit(ctx, text)
		return editorReadyMsg{command, done, text, err}
	}
}

// runEditor gives the terminal to the editor.
func (m *Model) runEditor(msg editorReadyMsg) tea.Cmd {
	if msg.err != nil {
		return m.pass(chat.Sentence(msg.err.Error()), 3*quitWindow)
	}
	before, done := msg.before, msg.done
	return m.exec(msg.command, func(err error) tea.Msg {
		text, readErr := done(err != nil)
		if err == nil {
			err = readErr
		}
		return editedDraftMsg{before, text, err}
	})
}

// editedDraft takes what the editor left. Where it failed, what was written stays.
func (m *Model) editedDraft(msg editedDraftMsg) tea.Cmd {
	cmds := []tea.Cmd{m.sized()}
	if msg.err != nil {
		return tea.Batch(append(cmds, m.pass("The editor ended with an error, so your text is as it was: "+msg.err.Error(), 3*quitWindow))...)
	}
	text := msg.text
	if !strings.HasSuffix(msg.before, "\n") { // which editors put at the end of a file
		text = strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r")
	}
	switch now := m.composer.Value(); {
	case text == msg.before:
	case now != msg.before: // a text came back meanwhile
		m.composer.SetValue(below(text, now))
	default:
		m.composer.SetValue(text)
	}
	m.markWritten()
	return tea.Batch(cmds...)
}
