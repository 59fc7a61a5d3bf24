package tui

import (
	"context"
	"strings"

	"chatvault/tui/chat"
	"chatvault/tui/loop"

	tea "github.com/charmbracelet/bubbletea"
)

// DraftEditor gives a text to the user's editor, which takes the terminal. The text is in a file of
// its own before the editor begins, so that nothing of it is lost however that ends. Done is called
// after it, with whether the editor failed, and gives what the file holds then; the file goes.
type DraftEditor func(ctx context.Context, text string) (command tea.ExecCommand, done func(failed bool) (string, error), err error)

// editText gives a text to the user's editor, and then gets what it left.
func (m *Model) editText(text string, then func(edited string, err error) tea.Cmd) tea.Cmd {
	edit, ctx := m.o.EditDraft, m.ctx
	return func() tea.Msg {
		command, done, err := edit(ctx, text)
		if err != nil {
			return hintMsg{chat.Sentence(err.Error())}
		}
		return loop.Do(func() tea.Cmd {
			return m.exec(command, func(err error) tea.Msg {
				edited, readErr := done(err != nil)
				if err == nil {
					err = readErr
				}
				return loop.Do(func() tea.Cmd { return tea.Batch(m.sized(), then(edited, err)) })
			})
		})
	}
}

// editDraft opens what is written in the user's editor.
func (m *Model) editDraft() tea.Cmd {
	if m.o.EditDraft == nil {
		return nil
	}
	m.draft.set(m.written())
	before, d := m.composer.Value(), m.draft
	open := m.editText(before, func(edited string, err error) tea.Cmd { return m.editedDraft(before, edited, err) })
	return func() tea.Msg {
		d.flush()
		return open()
	}
}

// editedDraft takes what the editor left. Where it failed, what was written stays.
func (m *Model) editedDraft(before, text string, err error) tea.Cmd {
	if err != nil {
		return m.flash("The editor ended with an error, so your text is as it was: "+err.Error(), 3*quitWindow)
	}
	if !strings.HasSuffix(before, "\n") { // which editors put at the end of a file
		text = strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r")
	}
	switch now := m.composer.Value(); {
	case text == before:
	case now != before: // a text came back meanwhile
		m.composer.SetValue(below(text, now))
	default:
		m.composer.SetValue(text)
	}
	m.markTyped()
	return nil
}
