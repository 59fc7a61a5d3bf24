package tui

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

// openTrust handles /trust.
func (m *Model) openTrust() tea.Cmd {
	var what string
	look := func(ctx context.Context) (whole string, err error) {
		what, whole, err = m.o.Trust.Look(ctx)
		return whole, err
	}
	return fetch(m.shared, "What this vault brings cannot be read: ", look, func(whole string) tea.Cmd { return m.showTrust(what, whole) })
}

// showTrust shows the content and asks for consent. The question ignores keys in its first half second, like dialogs that
// the user did not ask for.
func (m *Model) showTrust(what, whole string) tea.Cmd {
	if whole == "" {
		return m.flash("This vault brings nothing that you have not agreed to", 3*quitWindow)
	}
	later := loop.Do(func() tea.Cmd { return m.flash("Not used; /trust shows it again", 2*quitWindow) })
	answer := func(agreed bool) loop.Do {
		return func() tea.Cmd {
			keep := func(context.Context) (string, error) { return m.o.Trust.Answer(agreed) }
			return fetch(m.shared, "Your answer could not be saved: ", keep, func(said string) tea.Cmd {
				return m.flash(strings.TrimSuffix(said, "."), 3*quitWindow)
			})
		}
	}
	asked := dialog.Proposed{Title: "Let this steer the agent?", Idle: true}
	asked.Change.Path, asked.Change.Diff = what, udiff.Unified("nothing", "what came with the vault", "", whole)
	asked.Text = "It came with the vault, and a vault can come from anyone. It is not used until you agree; you are asked again when it changes."
	m.dialogs.PushUnasked(dialog.NewApproval(m.styles, asked, []dialog.Choice{
		{Label: "Use it", Result: answer(true)},
		{Label: "Never use it", Result: answer(false)},
		{Label: "Decide later", Result: later, Safe: true},
	}, later, !m.composer.Empty()), m.now())
	return nil
}
