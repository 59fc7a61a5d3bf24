package tui

import (
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"chatvault/internal/base/cells"
	"chatvault/tui/keys"
	"chatvault/tui/list"
	"chatvault/tui/loop"
)

type hintOverMsg struct{ id int }

// Update handles a message and then the work due after any message.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	was := m.dirty
	m.dirty = true
	return m, tea.Batch(m.update(msg, was), m.after())
}

// update dispatches a message to its handler. Work that parts do themselves arrives as a loop.Do. due reports whether
// the screen was already to be redrawn.
func (m *Model) update(msg tea.Msg, due bool) (cmd tea.Cmd) {
	switch msg := msg.(type) {
	// The terminal.
	case tea.WindowSizeMsg:
		cmd = m.resize(msg)
	case tea.KeyPressMsg:
		cmd = m.key(msg)
	case tea.PasteMsg:
		cmd = m.key(keys.Paste(msg.Content))
	case tea.MouseMsg:
		cmd = m.pointer.mouseEvent(msg)
	case tea.ResumeMsg:
		m.suspended = false
		m.notifier.focused(true)
	case tea.BackgroundColorMsg:
		if m.o.Background = msg; !msg.IsDark() {
			m.restyle(m.o.Theme)
		}
	case tea.ModeReportMsg:
		if msg.Mode == ansi.ModeUnicodeCore && (msg.Value == ansi.ModeReset || msg.Value == ansi.ModeSet || msg.Value == ansi.ModePermanentlySet) {
			cells.SetClusters(true) // Bubble Tea draws by them from here on
			m.restyle(m.o.Theme)
		}
	case tea.ClipboardMsg:
		m.composer.SetClipboard(msg.Content)
	case tea.KeyboardEnhancementsMsg:
		m.distinctKeys = msg.SupportsKeyDisambiguation()
	case tea.FocusMsg, tea.BlurMsg:
		m.dirty = due
		focused := msg == tea.Msg(tea.FocusMsg{})
		if m.notifier.focused(focused); focused { // files may have been edited elsewhere
			cmd = m.lookForCustom()
		}
	default:
		cmd = m.updateChat(msg, due)
	}
	return cmd
}

// updateChat dispatches a message that does not come from the terminal.
func (m *Model) updateChat(msg tea.Msg, due bool) (cmd tea.Cmd) {
	switch msg := msg.(type) {
	// Results of background work and dialogs.
	case loop.Do:
		cmd = msg()
	case runMsg:
		if c := m.commandNamed(string(msg)); c != nil {
			cmd = m.run(c, "", typedText{})
		}
	case hintMsg:
		cmd = m.flash(msg.text, 3*quitWindow)

	// The agent and messages to it.
	case eventsMsg:
		cmd = m.events(msg)
	case copiedMsg:
		cmd = m.copied(msg)

	// The conversation.
	case loadedMsg:
		cmd = m.load(msg)

	// Timers.
	case tickMsg:
		m.ticking = false
		m.env.Frame++
	case hintOverMsg:
		if msg.id == m.hintID {
			m.hint = ""
		}
	case notifyMsg:
		m.dirty = due
		cmd = m.notifier.notify(msg, m.notification())
	case quitMsg:
		cmd = m.quit()
	default:
		m.dirty = due
	}
	return cmd
}

// after handles work that may be due after any message: the spinner, the window title, the draft.
func (m *Model) after() tea.Cmd {
	var cmds []tea.Cmd
	m.takeModel()
	m.dialogs.Follow(!m.composer.Empty() || m.begun, m.now())
	if m.stoppable() {
		cmds = append(cmds, m.tickSpinner())
	}
	if m.width > 0 {
		m.list.InSight(func(list.Sight) {}) // draws references, which are then resolved
		if m.reading() != nil {
			m.View()
		}
		cmds = append(cmds, m.talk.earlierDue(m.lay.Transcript))
		m.selection.Keep()
		cmds = append(cmds, m.find.Due(m.state.Turn.Running))
		m.completion.Keep(!m.dialogs.Empty())
		cmds = append(cmds, m.attaching.Look())
		cmds = append(cmds, m.cite())
	}
	cmds = append(cmds, m.notifier.follow(m.activity()))
	if cmd := m.draftDue(); cmd != nil {
		cmds = append(cmds, cmd)
	}
	return tea.Batch(cmds...)
}

func (m *Model) resize(msg tea.WindowSizeMsg) tea.Cmd {
	m.width, m.height = max(msg.Width, 1), max(msg.Height, 1)
	m.arrange()
	if m.talk.loading {
		return nil
	}
	m.talk.loading = true
	return tea.Batch(m.startLoading(), m.lookForCustom())
}
