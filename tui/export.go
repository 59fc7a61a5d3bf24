package tui

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"chatvault/tui/chat"
)

// exportedMsg says where the conversation was written.
type exportedMsg struct {
	path string
	err  error
}

// export is /export, with the name of a file or without one.
func (m *Model) export(file string) tea.Cmd {
	write, ctx := m.o.Export, m.ctx
	file = unquoted(file)
	return func() tea.Msg {
		path, err := write(ctx, file)
		return exportedMsg{path, err}
	}
}

// unquoted takes away the quotation marks that a name with spaces may have.
func unquoted(name string) string {
	for _, q := range []string{`"`, `'`} {
		if len(name) > 1 && strings.HasPrefix(name, q) && strings.HasSuffix(name, q) {
			return name[1 : len(name)-1]
		}
	}
	return name
}

func (m *Model) exported(msg exportedMsg) {
	if msg.err != nil {
		m.say(chat.NewError(m.env, "Not exported: "+msg.err.Error()))
		return
	}
	text := "The conversation is in " + msg.path
	if m.turn.running {
		text += ", without the turn that runs"
	}
	m.say(chat.NewNotice(m.env, text+"."))
}
