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

// Vaults lists and opens other vaults (/vault). If List and Find are nil, there is no such command.
type Vaults struct {
	List func(ctx context.Context) ([]session.Vault, error) // most recently used first
	// Find returns the folder of a vault given by the user or by List; Make creates it. Their errors are sentences
	// for the user. A nil Make disables creating vaults.
	Find, Make func(dir string) (string, error)
	// First reports that no vault is open yet, so the list opens at once.
	First bool
	// Ahead holds keys typed for this chat before it was open.
	Ahead []tea.KeyPressMsg
}

// Next is the vault to open after a chat has ended, and the keys already typed for it.
type Next struct {
	Vault string // its folder; empty to exit
	Ahead []tea.KeyPressMsg
}

// vaults lists other vaults and ends the chat to open one.
type vaults struct {
	*shared
	following *Next // the vault to open next, or keys held until this one is loaded; may be nil
}

// leaveForMsg asks to open the vault in a folder.
type leaveForMsg string

// replayMsg handles the held keys because this chat continues.
type replayMsg struct{}

// typedAhead is how long an ending chat still collects keys for the next vault: those read together with the key that
// chose it.
const typedAhead = 50 * time.Millisecond

// openVaults handles /vault: it lists the vaults.
func (a *vaults) openVaults() tea.Cmd {
	if a.busy() {
		return a.flash(turnRuns, 2*quitWindow)
	}
	return loop.Then(a.ctx, a.o.Vaults.List, a.showVaults)
}

// vaultCommand handles /vault with a folder.
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

// vaultRow returns a row that asks for the folder of an unlisted vault.
func (a *vaults) vaultRow(label, question string, find func(string) (string, error)) dialog.Row {
	return dialog.Row{Label: label, Result: loop.Now(func() tea.Cmd {
		a.dialogs.Push(dialog.NewAsk(a.styles, strings.TrimSuffix(label, "…"), question+" A path, such as ~/Notes.", false, func(dir string) any {
			return loop.Now(func() tea.Cmd { return a.openVault(dir, find) })
		}, loop.Do(a.openVaults), "Enter to open it", "Esc to go back"))
		return nil
	})}
}

// openVault ends this chat to open another vault. Keys typed from now on are for the next chat.
func (a *vaults) openVault(dir string, find func(string) (string, error)) tea.Cmd {
	if a.busy() {
		return a.flash(turnRuns, 2*quitWindow)
	}
	a.following = &Next{}
	return loop.Then(a.ctx, func(context.Context) (string, error) { return find(dir) }, func(folder string, err error) tea.Cmd {
		if err != nil {
			a.appendItem(chat.NewError(a.env, text.Capital(err.Error())))
			a.list.End()
			var again tea.Cmd
			if a.o.Vaults.First { // the list hides the error in the transcript
				again = tea.Batch(a.openVaults(), a.flash(text.Capital(err.Error()), 5*quitWindow))
			}
			return tea.Batch(func() tea.Msg { return replayMsg{} }, again)
		}
		return a.tick(typedAhead, func(time.Time) tea.Msg { return leaveForMsg(folder) })
	})
}

// leaveFor ends this chat unless a turn has begun in the meantime.
func (m *Model) leaveFor(folder string) tea.Cmd {
	if m.busy() || m.leaving {
		return tea.Batch(m.replayKeys(), m.flash(turnRuns, 2*quitWindow))
	}
	m.following.Vault = folder
	return m.quit()
}

// holdKey keeps a key for the next chat, or until this one is loaded.
func (m *Model) holdKey(k tea.KeyPressMsg) (held bool) {
	if m.following != nil {
		m.following.Ahead = append(m.following.Ahead, k)
	}
	return m.following != nil
}

// replayKeys handles the held keys.
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
