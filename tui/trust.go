package tui

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"

	"chatvault/tui/chat"
	"chatvault/tui/dialog"
)

// Trust is what came with the vault and counts only where its owner agreed to it.
type Trust struct {
	// Look reads what there is that is not agreed to: in a few words, and whole, as a diff of new files.
	// Both are empty where there is nothing.
	Look func(ctx context.Context) (what, whole string, err error)
	// Answer keeps the answer for what was looked at last.
	Answer func(agreed bool) error
}

type (
	// broughtMsg brings what there is to agree to.
	broughtMsg struct {
		what, whole string
		err         error
	}
	// broughtDecided is what the user decided.
	broughtDecided struct{ answer trustAnswer }
	// broughtKeptMsg says how keeping the answer ended.
	broughtKeptMsg struct {
		agreed bool
		err    error
	}
)

type trustAnswer int

const (
	trustLater trustAnswer = iota
	trustNo
	trustYes
)

// askTrust is /trust.
func (m *Model) askTrust() tea.Cmd {
	look, ctx := m.o.Trust.Look, m.ctx
	return func() tea.Msg {
		what, whole, err := look(ctx)
		return broughtMsg{what, whole, err}
	}
}

// trusted routes what comes of /trust.
func (m *Model) trusted(msg tea.Msg) (cmd tea.Cmd, known bool) {
	switch msg := msg.(type) {
	case broughtMsg:
		return m.showBrought(msg), true
	case broughtDecided:
		return m.decideBrought(msg.answer), true
	case broughtKeptMsg:
		return m.broughtKept(msg), true
	}
	return nil, false
}

// showBrought shows all of it, and asks. The question takes no key in its first half second, as one
// that comes unasked.
func (m *Model) showBrought(msg broughtMsg) tea.Cmd {
	switch {
	case msg.err != nil:
		m.say(chat.NewError(m.env, "What this vault brings cannot be read: "+msg.err.Error()))
		return nil
	case msg.whole == "":
		return m.pass("This vault brings nothing that you have not agreed to", 3*quitWindow)
	}
	leave := broughtDecided{trustLater}
	m.dialogs.PushUnasked(dialog.NewApproval(m.styles, dialog.Proposed{
		Title: "Let this steer the agent?", Path: msg.what, Diff: msg.whole, Idle: true,
		Why: "It came with the vault, and a vault can come from anyone. It is not used before you agree; you are asked again when it changes.",
	}, []dialog.Choice{
		{Label: "Use it from the next start", Short: "Use it", Result: broughtDecided{trustYes}},
		{Label: "Never use it", Short: "Never", Result: broughtDecided{trustNo}},
		{Label: "Decide later", Short: "Later", Result: leave, Safe: true},
	}, leave, !m.composer.Empty()), m.now())
	return nil
}

func (m *Model) decideBrought(a trustAnswer) tea.Cmd {
	if a == trustLater {
		return m.pass("Not used; /trust shows it again", 2*quitWindow)
	}
	keep := m.o.Trust.Answer
	return func() tea.Msg { return broughtKeptMsg{a == trustYes, keep(a == trustYes)} }
}

func (m *Model) broughtKept(msg broughtKeptMsg) tea.Cmd {
	switch {
	case msg.err != nil:
		m.say(chat.NewError(m.env, "Your answer could not be kept: "+msg.err.Error()))
		return nil
	case msg.agreed:
		return m.pass("Agreed: it counts from the next start; chatvault trust --revoke takes it back", 3*quitWindow)
	}
	return m.pass("It stays unused, until it changes", 2*quitWindow)
}
