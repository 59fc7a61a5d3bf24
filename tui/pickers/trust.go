package pickers

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/aymanbagabas/go-udiff"

	"chatvault/internal/app/session"
	"chatvault/tui/dialog"
	"chatvault/tui/loop"
)

// Brought is the content of the vault that steers the agent and needs the owner's consent.
type Brought interface {
	// Look returns a summary of the content without consent and the content itself. Both are empty
	// if there is none.
	Look(ctx context.Context) (what, whole string, err error)
	// Answer stores the answer for the content last returned by Look and returns a message about its effect.
	Answer(agreed bool) (said string, err error)
	session.SkillActions
}

// Trust asks for consent to content that came with the vault.
type Trust struct {
	*Base
	Brought Brought
}

// Ask handles /trust.
func (t *Trust) Ask() tea.Cmd {
	var what string
	look := func(ctx context.Context) (whole string, err error) {
		what, whole, err = t.Brought.Look(ctx)
		return whole, err
	}
	return fetch(t.Base, "What this vault brings cannot be read: ", look, func(whole string) tea.Cmd { return t.show(what, whole) })
}

// show shows the content and asks for consent. The question ignores keys in its first half second, like dialogs that
// the user did not ask for.
func (t *Trust) show(what, whole string) tea.Cmd {
	if whole == "" {
		return t.Flash("This vault brings nothing that you have not agreed to", long)
	}
	later := loop.Do(func() tea.Cmd { return t.Flash("Not used; /trust shows it again", sentence) })
	answer := func(agreed bool) loop.Do { return func() tea.Cmd { return t.answer(agreed) } }
	brought := dialog.Proposed{Title: "Let this steer the agent?", Idle: true}
	brought.Change.Path, brought.Change.Diff = what, udiff.Unified("nothing", "what came with the vault", "", whole)
	brought.Text = "It came with the vault, and a vault can come from anyone. It is not used until you agree; you are asked again when it changes."
	t.Dialogs.PushUnasked(dialog.NewApproval(t.Env.Styles, brought, []dialog.Choice{
		{Label: "Use it", Result: answer(true)},
		{Label: "Never use it", Short: "Never", Result: answer(false)},
		{Label: "Decide later", Short: "Later", Result: later, Safe: true},
	}, later, !t.Composer.Empty()), t.Env.Now())
	return nil
}

func (t *Trust) answer(agreed bool) tea.Cmd {
	answer := func(context.Context) (string, error) { return t.Brought.Answer(agreed) }
	return fetch(t.Base, "Your answer could not be saved: ", answer, func(said string) tea.Cmd {
		return t.Flash(strings.TrimSuffix(said, "."), long)
	})
}
