package tui

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"

	"chatvault/internal/session"
	"chatvault/tui/chat"
	"chatvault/tui/dialog"
	"chatvault/tui/keys"
	"chatvault/tui/phrase"
)

// Vaults are the other vaults this chat can go over to (/vault). Without both: no such command.
type Vaults struct {
	List func(ctx context.Context) ([]session.Vault, error) // what was used last first
	// Open makes the chat of the vault in a folder ready to be shown; the one on the screen stays
	// as it is. The folder is as the user wrote it, or one of List's. Its error says in plain
	// words why it cannot be opened.
	Open func(ctx context.Context, dir string) (Options, error)
}

type (
	vaultsMsg struct {
		list []session.Vault
		err  error
	}
	// openVaultMsg is the choice of a vault.
	openVaultMsg struct{ vault session.Vault }
	// vaultOpenedMsg says that the chat of another vault is ready, or why it is not.
	vaultOpenedMsg struct {
		options Options
		err     error
		opening *opening
	}
)

// opening is the wait for another vault's chat.
type opening struct{ cancel context.CancelFunc }

// held are keys that were pressed while another vault's chat was made ready: they are for
// whichever chat comes of it.
type held struct {
	opening *opening // nil: none is being made ready
	loading bool     // this chat took the place of another and does not know its own draft yet
	keys    []tea.KeyMsg
}

// openVaults is /vault: a list to pick from.
func (m *Model) openVaults() tea.Cmd {
	if m.busy() {
		return m.flash(turnRuns, 2*quitWindow)
	}
	ctx, list := m.ctx, m.o.Vaults.List
	return func() tea.Msg {
		all, err := list(ctx)
		return vaultsMsg{all, err}
	}
}

// vaultCommand is /vault with a folder after it.
func (m *Model) vaultCommand(dir string) tea.Cmd {
	return m.openVault(session.Vault{Name: dir, Dir: dir})
}

func (m *Model) showVaults(msg vaultsMsg) tea.Cmd {
	if msg.err != nil {
		return m.flash("The vaults could not be listed: "+msg.err.Error(), 3*quitWindow)
	}
	rows := make([]dialog.Row, len(msg.list))
	for i, v := range msg.list {
		right := v.About
		if !v.Last.IsZero() {
			right = phrase.Time(v.Last, m.now())
			if v.About != "" {
				right = v.About + " · " + right
			}
		}
		rows[i] = dialog.Row{
			Label: phrase.Line(v.Name), Right: right, Below: []string{phrase.Line(v.Dir)}, Here: v.Here, Find: v.Dir, Result: openVaultMsg{v},
		}
	}
	m.dialogs.Push(dialog.NewPicker(m.styles, "Vaults", "No other vault is known: /vault FOLDER opens one", rows, []string{
		"Type to narrow · Enter opens one, and its conversation · Esc stays here", "Enter opens one · Esc stays here",
	}))
	return nil
}

// openVault has another vault's chat made ready. What is typed meanwhile is held.
func (m *Model) openVault(v session.Vault) tea.Cmd {
	switch {
	case v.Here:
		return m.flash("That vault is open already", 2*quitWindow)
	case v.Missing:
		return m.flash("Its folder is not there: "+phrase.Line(v.Dir), 3*quitWindow)
	case m.busy():
		return m.flash(turnRuns, 2*quitWindow)
	}
	ctx, cancel := context.WithCancel(m.ctx)
	o := &opening{cancel}
	m.held.opening = o
	m.hintID++ // nothing takes the word away before it is open
	m.hint = "Opening " + phrase.Line(v.Name) + "… · Esc stays here"
	open := m.o.Vaults.Open
	return func() tea.Msg {
		defer cancel()
		options, err := open(ctx, v.Dir)
		return vaultOpenedMsg{options, err, o}
	}
}

// holdKey keeps a key for the chat that comes; Esc and Ctrl+C stay in this one.
func (m *Model) holdKey(k tea.KeyMsg) (taken bool, cmd tea.Cmd) {
	switch {
	case m.held.opening == nil && !m.held.loading:
		return false, nil
	case m.held.opening != nil && keys.Matches(k, m.keys.Stop, m.keys.Clear):
		m.held.opening.cancel()
		return true, m.cancelSwitch()
	}
	m.held.keys = append(m.held.keys, k)
	return true, nil
}

// stay ends the wait for another vault: what was held is for this chat.
func (m *Model) cancelSwitch() tea.Cmd {
	m.held.opening, m.hint = nil, ""
	return m.replayKeys()
}

// release acts on the keys that were held.
func (m *Model) replayKeys() tea.Cmd {
	pressed := m.held.keys
	m.held.keys, m.held.loading = nil, false
	var cmds []tea.Cmd
	for _, k := range pressed {
		cmds = append(cmds, m.key(k))
	}
	return tea.Batch(cmds...)
}

// vaultOpened goes over to the other vault's chat, unless the user stays or a turn began here
// meanwhile, which was routed here.
func (m *Model) vaultOpened(msg vaultOpenedMsg) tea.Cmd {
	switch {
	case msg.opening != m.held.opening:
		msg.options.leave()
		return nil
	case msg.err != nil:
		m.say(chat.NewError(m.env, chat.Sentence(msg.err.Error())))
		m.list.End()
		return m.cancelSwitch()
	case m.busy():
		msg.options.leave()
		return tea.Batch(m.cancelSwitch(), m.flash(turnRuns, 2*quitWindow))
	}
	return func() tea.Msg { return switchVaultMsg{msg.options, msg.opening} }
}

// leave says that a chat that was made ready is not shown after all.
func (o Options) leave() {
	if o.Taken != nil {
		o.Taken(false)
	}
}
