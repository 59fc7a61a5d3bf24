package tui

import (
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"chatvault/tui/chat"
)

// leaveWait is how long leaving waits for what was just sent to be durable.
const leaveWait = 2 * time.Second

type (
	leaveMsg     struct{} // leave by the ordinary way
	quitNowMsg   struct{} // do not wait any longer
	draftMsg     struct{}
	suspendedMsg struct{} // the terminal is ready for the shell
)

// leave ends the program. The running turn is not stopped, as Esc would: it is cut with
// the program, and its message, like those that are queued, is offered at the next start.
// What was sent a moment ago is made durable first, within a bound.
func (m *Model) leave() tea.Cmd {
	if m.leaving {
		return nil
	}
	m.leaving, m.hint = true, ""
	if len(m.unsaved()) == 0 {
		return m.quit()
	}
	return m.tick(leaveWait, func(time.Time) tea.Msg { return quitNowMsg{} })
}

// unsaved are the texts that were sent and are not durable yet.
func (m *Model) unsaved() []string {
	var texts []string
	if e := m.moving.edited; e != nil && !m.moving.asks { // then it stands in the draft
		texts = append(texts, e.typed())
	}
	for _, o := range m.outbox {
		if o.id == "" {
			texts = append(texts, o.text)
		}
	}
	return texts
}

// quit ends the program now; what could not be made durable becomes the draft.
func (m *Model) quit() tea.Cmd {
	m.leaving = true
	text := m.written()
	if rest := m.unsaved(); len(rest) > 0 {
		text = strings.TrimRight(strings.Join(append(rest, text), "\n"), "\n")
	}
	m.draft.set(text)
	m.draft.flush() // here, not in a command: nothing runs after Quit
	return tea.Quit
}

// suspend gives the terminal to the shell, where there is one that can give it back.
func (m *Model) suspend() tea.Cmd {
	if t, ok := m.o.Terminal.(interface{ Continuable() bool }); ok && !t.Continuable() {
		return m.flash("Not suspended: no shell is above that could go on with it", 3*quitWindow)
	}
	t, window, screen := m.o.Terminal, m.o.Attention, m.screen
	return func() tea.Msg {
		window.End() // the title is the shell's meanwhile
		if screen != nil {
			screen.Pause()
		}
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
	m.o.Attention.Again()
	m.focused(true)
	m.notifier.shown = time.Time{}
	if m.screen != nil {
		m.screen.Resume()
	}
	return m.sized()
}
