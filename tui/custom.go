package tui

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"chatvault/internal/session"
	"chatvault/tui/chat"
	"chatvault/tui/phrase"
	"chatvault/tui/safe"
)

// customMsg brings the custom commands; a text may wait for them.
type customMsg struct {
	session.Custom
	waits typedText
	err   error
}

// typedText is a text that is to be sent; hold: into no running turn.
type typedText struct {
	text string
	hold bool
}

// lookForCustom reads the custom commands anew, off the screen's loop: their files may have changed.
// A text that waits for that is sent then.
func (m *Model) lookForCustom(waits typedText) tea.Cmd {
	look, ctx := m.o.Custom, m.ctx
	if look == nil {
		return nil
	}
	return func() tea.Msg {
		c, err := look(ctx)
		return customMsg{c, waits, err}
	}
}

// mayBeCustom says whether a typed text may be a custom command: one that there is, or none that
// is known.
func (m *Model) mayBeCustom(text string, p session.Typed) bool {
	if m.o.Custom == nil || p.Command != nil && p.Command.Expand == nil {
		return false
	}
	name, _, ok := session.CutCommand(text)
	return ok && !slices.ContainsFunc(commandsOf(m.o), func(c session.Command) bool { return c.Named(name) })
}

// customFound takes the custom commands, tells of faults that are news, and runs what waits.
func (m *Model) customFound(msg customMsg) tea.Cmd {
	if msg.err != nil {
		msg.Faults = append(msg.Faults, "The vault's own commands could not be read: "+msg.err.Error())
	} else {
		m.commands = commandsOf(m.o)
		for _, c := range msg.Commands {
			c.Does = safe.Line(c.Does)
			m.commands = append(m.commands, c)
		}
	}
	var told []string
	for _, f := range msg.Faults {
		if !slices.Contains(m.customFaults, f) {
			m.say(chat.NewNotice(m.env, f))
		}
		told = append(told, f)
	}
	m.customFaults = told
	m.refreshPalette()
	if m.openedHelp != nil {
		m.openedHelp.Refresh(m.help())
	}
	m.completion.CommandsChanged()
	if msg.waits.text == "" || strings.TrimRight(m.composer.Value(), " \t\n") != msg.waits.text {
		return nil // nothing waits, or the text was changed meanwhile: Enter sends it as it is now
	}
	if name, _, ok := session.CutCommand(msg.waits.text); ok && msg.FaultOf != nil {
		if fault := msg.FaultOf(name); fault != "" { // rather than that there is no such command
			return m.flash(phrase.Line(fault), 3*quitWindow)
		}
	}
	return m.sendText(msg.waits, true)
}
