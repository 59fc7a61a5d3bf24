package tui

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"chatvault/internal/app/session"
	"chatvault/internal/base/text"
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
}

// vaults lists other vaults and ends the chat to open one.
type vaults struct {
	*shared
	next string // the folder of the vault to open next; empty for none
}

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
			Result: loop.Do(func() tea.Cmd { return a.vaultCommand(v.Dir) }),
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
	return dialog.Row{Label: label, Result: loop.Do(func() tea.Cmd {
		a.dialogs.Push(dialog.NewAsk(a.styles, strings.TrimSuffix(label, "…"), question+" A path, such as ~/Notes.", false, func(dir string) any {
			return loop.Do(func() tea.Cmd { return a.openVault(dir, find) })
		}, loop.Do(a.openVaults), "Enter to open it", "Esc to go back"))
		return nil
	})}
}

// openVault ends this chat to open another vault, unless a turn has begun in the meantime.
func (a *vaults) openVault(dir string, find func(string) (string, error)) tea.Cmd {
	if a.busy() {
		return a.flash(turnRuns, 2*quitWindow)
	}
	return loop.Then(a.ctx, func(context.Context) (string, error) { return find(dir) }, func(folder string, err error) tea.Cmd {
		switch {
		case a.busy():
			return a.flash(turnRuns, 2*quitWindow)
		case err == nil:
			a.next = folder
			return func() tea.Msg { return quitMsg{} }
		}
		a.appendItem(chat.NewError(a.env, text.Capital(err.Error())))
		a.list.End()
		if a.o.Vaults.First { // the list hides the error in the transcript
			return tea.Batch(a.openVaults(), a.flash(text.Capital(err.Error()), 5*quitWindow))
		}
		return nil
	})
}
