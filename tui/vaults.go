package tui

import (
	"context"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"chatvault/internal/session"
	"chatvault/internal/text"
	"chatvault/tui/chat"
	"chatvault/tui/dialog"
	"chatvault/tui/loop"
	"chatvault/tui/phrase"
)

// Vaults are the other vaults that can be opened next (/vault). Without List and Find: no such command.
type Vaults struct {
	List func(ctx context.Context) ([]session.Vault, error) // most recently used first
	// Find returns the folder of a vault that a person named, or one of List's; Make creates it. Their errors
	// are plain words. Nil: no vault can be made.
	Find, Make func(dir string) (string, error)
	// First says that no vault is open yet: they are offered at once.
	First bool
	// Ahead are the keys that were typed for this chat before it was open.
	Ahead []tea.KeyPressMsg
}

// Next is the vault to open after a chat has ended, and what was typed for it already.
type Next struct {
	Vault string // its folder; empty: none, the program ends
	Ahead []tea.KeyPressMsg
}

// vaults lists the other vaults, and ends this chat for one of them.
type vaults struct {
	*shared
	following *Next // the vault that is opened when this chat ends, or keys that wait until this one is loaded; nil: neither
}

// leaveForMsg is the folder of the vault to open.
type leaveForMsg string

// replayMsg asks for the keys that were held: this chat continues.
type replayMsg struct{}

// typedAhead is how long a chat that ends for another vault still takes keys for that one: those that
// were read together with the one that chose it.
const typedAhead = 50 * time.Millisecond

// openVaults is /vault: a list to pick from.
func (a *vaults) openVaults() tea.Cmd {
	if a.busy() {
		return a.flash(turnRuns, 2*quitWindow)
	}
	return loop.Then(a.ctx, a.o.Vaults.List, a.showVaults)
}

// vaultCommand is /vault with a folder after it.
func (a *vaults) vaultCommand(dir string) tea.Cmd { return a.openVault(dir, a.o.Vaults.Find) }

func (a *vaults) showVaults(all []session.Vault, err error) tea.Cmd {
	if err != nil {
		return a.flash("The vaults could not be listed: "+err.Error(), 3*quitWindow)
	}
	rows := make([]dialog.Row, len(all))
	for i, v := range all {
		rows[i] = dialog.Row{
			Label: phrase.Line(v.Name), Right: phrase.Join(v.About, phrase.Time(v.Last, a.now())), Below: []string{phrase.Line(v.Dir)}, Here: v.Here, Find: v.Dir,
			Result: loop.Now(func() tea.Cmd { return a.vaultCommand(v.Dir) }),
		}
	}
	if a.o.Vaults.Make != nil {
		rows = append(rows, a.vaultRow("Another folder…", "Which folder holds the notes?", a.o.Vaults.Find),
			a.vaultRow("A new vault…", "Which folder is to be made for its notes?", a.o.Vaults.Make))
	}
	title := "Vaults"
	if a.o.Vaults.First {
		title = "There are no notes here. Which vault do you want to open?"
	}
	a.dialogs.Push(dialog.NewPicker(a.styles, title, "No other vault is known: /vault FOLDER opens one", rows, []string{
		"Type to filter", "Enter to open", "Esc to cancel",
	}))
	return nil
}

// vaultRow asks for the folder of a vault that is not in the list.
func (a *vaults) vaultRow(label, question string, find func(string) (string, error)) dialog.Row {
	return dialog.Row{Label: label, Result: loop.Now(func() tea.Cmd {
		a.dialogs.Push(dialog.NewAsk(a.styles, strings.TrimSuffix(label, "…"), question+" A path, such as ~/Notes.", false, func(dir string) any {
			return loop.Now(func() tea.Cmd { return a.openVault(dir, find) })
		}, loop.Do(a.openVaults), "Enter to open it", "Esc to go back"))
		return nil
	})}
}

// openVault ends this chat so that another vault's is opened. What is typed from now on is for that one.
func (a *vaults) openVault(dir string, find func(string) (string, error)) tea.Cmd {
	if a.busy() {
		return a.flash(turnRuns, 2*quitWindow)
	}
	a.following = &Next{}
	return loop.Then(a.ctx, func(context.Context) (string, error) { return find(dir) }, func(folder string, err error) tea.Cmd {
		if err != nil {
			a.say(chat.NewError(a.env, text.Capital(err.Error())))
			a.list.End()
			var again tea.Cmd
			if a.o.Vaults.First { // the list covers what is said of it
				again = tea.Batch(a.openVaults(), a.flash(text.Capital(err.Error()), 5*quitWindow))
			}
			return tea.Batch(func() tea.Msg { return replayMsg{} }, again)
		}
		return a.tick(typedAhead, func(time.Time) tea.Msg { return leaveForMsg(folder) })
	})
}

// leaveFor ends this chat, unless a turn began meanwhile.
func (m *Model) leaveFor(folder string) tea.Cmd {
	if m.busy() || m.leaving {
		return tea.Batch(m.replayKeys(), m.flash(turnRuns, 2*quitWindow))
	}
	m.following.Vault = folder
	return m.quit()
}

// holdKey keeps a key that is typed for the chat that is opened next, or before this one is loaded.
func (m *Model) holdKey(k tea.KeyPressMsg) (held bool) {
	if m.following != nil {
		m.following.Ahead = append(m.following.Ahead, k)
	}
	return m.following != nil
}

// replayKeys acts on the keys that were held.
func (m *Model) replayKeys() tea.Cmd {
	if m.following == nil {
		return nil
	}
	pressed := m.following.Ahead
	m.following = nil
	var cmds []tea.Cmd
	for _, k := range pressed {
		cmds = append(cmds, m.key(k))
	}
	return tea.Batch(cmds...)
}
