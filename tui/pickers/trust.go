package pickers

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"chatvault/internal/session"
	"chatvault/tui/dialog"
	"chatvault/tui/loop"
)

// Brought is what came with the vault and counts only where its owner agreed to it.
type Brought interface {
	// Look reads what there is that is not agreed to: in a few words, and whole, as a diff of new files.
	// Both are empty where there is nothing.
	Look(ctx context.Context) (what, whole string, err error)
	// Answer keeps the answer for what was looked at last, and says what comes of it.
	Answer(agreed bool) (said string, err error)
	session.SkillActions
}

// Trust asks whether what came with the vault is used.
type Trust struct {
	*Base
	Brought Brought
}

// Ask is /trust.
func (t *Trust) Ask() tea.Cmd {
	var what string
	look := func(ctx context.Context) (whole string, err error) {
		what, whole, err = t.Brought.Look(ctx)
		return whole, err
	}
	return attempt(t.Base, "What this vault brings cannot be read: ", look, func(whole string) tea.Cmd { return t.show(what, whole) })
}

// show shows all of it, and asks. The question takes no key in its first half second, as one that comes
// unasked.
func (t *Trust) show(what, whole string) tea.Cmd {
	if whole == "" {
		return t.Flash("This vault brings nothing that you have not agreed to", long)
	}
	later := loop.Do(func() tea.Cmd { return t.Flash("Not used; /trust shows it again", sentence) })
	answer := func(agreed bool) loop.Do { return func() tea.Cmd { return t.answer(agreed) } }
	brought := dialog.Proposed{Title: "Let this steer the agent?", Idle: true}
	brought.Change.Path, brought.Change.Diff = what, whole
	brought.Text = "It came with the vault, and a vault can come from anyone. It is not used until you agree; you are asked again when it changes."
	t.PushUnasked(dialog.NewApproval(t.env.Styles, brought, []dialog.Choice{
		{Label: "Use it", Result: answer(true)},
		{Label: "Never use it", Short: "Never", Result: answer(false)},
		{Label: "Decide later", Short: "Later", Result: later, Safe: true},
	}, later, t.Writing()))
	return nil
}

func (t *Trust) answer(agreed bool) tea.Cmd {
	answer := func(context.Context) (string, error) { return t.Brought.Answer(agreed) }
	return attempt(t.Base, "Your answer could not be saved: ", answer, func(said string) tea.Cmd {
		return t.Flash(strings.TrimSuffix(said, "."), long)
	})
}
