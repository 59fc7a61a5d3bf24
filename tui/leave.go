package tui

import (
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"chatvault/tui/chat"
)

const (
	// leaveWait is how long leaving waits for the running turn to stop.
	leaveWait = 2 * time.Second
	// draftPause is how long after a change the draft is saved.
	draftPause = time.Second
)

type (
	leaveMsg     struct{} // leave, stopping what runs
	quitNowMsg   struct{} // do not wait any longer
	draftMsg     struct{}
	suspendedMsg struct{} // the terminal is ready for the shell
)

// leave ends the program; a running turn is stopped first, within a bound. What
// is queued is durable and offered at the next start.
func (m *Model) leave() tea.Cmd {
	if m.leaving {
		return nil
	}
	if !m.turn.running {
		return m.quit()
	}
	m.leaving, m.hint = true, ""
	return tea.Batch(m.stopTurn(), tea.Tick(leaveWait, func(time.Time) tea.Msg { return quitNowMsg{} }))
}

func (m *Model) quit() tea.Cmd {
	m.leaving = true
	if m.o.SaveDraft != nil && m.composer.Value() != m.draftSaved {
		m.o.SaveDraft(m.composer.Value()) // here, not in a command: nothing runs after Quit
		m.draftSaved = m.composer.Value()
	}
	return tea.Quit
}

func (m *Model) saveDraft() tea.Cmd {
	text := m.composer.Value()
	if m.o.SaveDraft == nil || text == m.draftSaved {
		return nil
	}
	m.draftSaved = text
	save := m.o.SaveDraft
	return func() tea.Msg {
		save(text)
		return nil
	}
}

// suspend gives the terminal to the shell.
func (m *Model) suspend() tea.Cmd {
	t := m.o.Terminal
	return func() tea.Msg {
		if t != nil {
			if err := t.Suspend(); err != nil {
				return failureMsg{"The terminal cannot be suspended: " + err.Error()}
			}
		}
		return suspendedMsg{}
	}
}

// resumed is after fg: the terminal may have another size and shows the shell.
func (m *Model) resumed() tea.Cmd {
	if m.o.Terminal != nil {
		if err := m.o.Terminal.Resume(); err != nil {
			m.say(chat.NewError(m.env, "The terminal could not be taken back: "+err.Error()+"\nLeave with Ctrl+D and start chatvault again."))
		}
	}
	return tea.Batch(tea.ClearScreen, tea.WindowSize())
}
