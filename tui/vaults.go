package tui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"chatvault/internal/app/session"
)

// vaults lists other vaults and ends the chat to open one.
type vaults struct {
	*shared
	lists *lists
	next  string // the folder of the vault to open next; empty for none
}

// openVaults handles /vault: it lists the vaults.
func (a *vaults) openVaults() tea.Cmd {
	if a.busy() {
		return a.flash(turnRuns, 2*quitWindow)
	}
	return a.lists.open(func(ctx context.Context) (*session.List, error) { return session.ListVaults(ctx, a.o.Vaults) })
}

// openVault handles /vault with a folder.
func (a *vaults) openVault(dir string) tea.Cmd {
	return a.lists.choose(session.SwitchVault(dir, a.o.Vaults.Find))
}

// leaveFor ends this chat to open another vault, unless a turn has begun in the meantime.
func (a *vaults) leaveFor(folder string) tea.Cmd {
	if a.busy() {
		return a.flash(turnRuns, 2*quitWindow)
	}
	a.next = folder
	return func() tea.Msg { return quitMsg{} }
}
