package tui

import (
	"strings"

	"chatvault/internal/session"
	"chatvault/tui/chat"

	tea "github.com/charmbracelet/bubbletea"
)

type (
	// proseReadyMsg is the editor that is about to have the terminal, for a setting of many lines.
	proseReadyMsg struct {
		editorReadyMsg
		key string
	}
	// proseEditedMsg is what it left.
	proseEditedMsg struct {
		key, before, text string
		err               error
	}
)

// editProse opens a setting of many lines in the user's editor.
func (m *Model) editProse(s session.Setting) tea.Cmd {
	edit, ctx := m.o.EditDraft, m.ctx
	if edit == nil {
		return m.pass(s.Key+" is changed in the file: chatvault config path names it", 3*quitWindow)
	}
	return func() tea.Msg {
		command, done, err := edit(ctx, s.Value)
		return proseReadyMsg{editorReadyMsg{command, done, s.Value, err}, s.Key}
	}
}

// prosed routes what comes of editing such a setting.
func (m *Model) prosed(msg tea.Msg) (cmd tea.Cmd, known bool) {
	switch msg := msg.(type) {
	case proseReadyMsg:
		if msg.err != nil {
			return m.pass(chat.Sentence(msg.err.Error()), 3*quitWindow), true
		}
		return m.exec(msg.command, func(err error) tea.Msg {
			text, readErr := msg.done(err != nil)
			if err == nil {
				err = readErr
			}
			return proseEditedMsg{msg.key, msg.before, text, err}
		}), true
	case proseEditedMsg:
		return tea.Batch(m.sized(), m.proseEdited(msg)), true
	}
	return nil, false
}

// proseEdited has a text written that is another one.
func (m *Model) proseEdited(msg proseEditedMsg) tea.Cmd {
	switch text := strings.TrimSpace(msg.text); {
	case msg.err != nil:
		return m.pass("The editor ended with an error, so "+msg.key+" is as it was: "+msg.err.Error(), 3*quitWindow)
	case text == "" || text == strings.TrimSpace(msg.before):
		return m.pass(msg.key+" is left as it is", 2*quitWindow)
	default:
		return m.setSetting(setSettingMsg{msg.key, &msg.text})
	}
}
