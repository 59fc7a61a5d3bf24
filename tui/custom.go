package tui

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"chatvault/internal/session"
	"chatvault/internal/terminal"
	"chatvault/tui/chat"
	"chatvault/tui/loop"
	"chatvault/tui/phrase"
)

// typedText is a text that is to be sent; hold: into no running turn.
type typedText struct {
	text string
	hold bool
}

// lookForCustom reads the custom commands anew, off the screen's loop: their files may have changed.
// A text that waits for that is sent then.
func (m *Model) lookForCustom(waits typedText) tea.Cmd {
	if m.o.Custom == nil {
		return nil
	}
	return loop.Then(m.ctx, m.o.Custom, func(c session.Custom, err error) tea.Cmd { return m.customFound(c, waits, err) })
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
func (m *Model) customFound(c session.Custom, waits typedText, err error) tea.Cmd {
	if err != nil {
		c.Faults = append(c.Faults, "The vault's own commands could not be read: "+err.Error())
	} else {
		m.commands = commandsOf(m.o)
		for _, own := range c.Commands {
			own.Does = terminal.Line(own.Does)
			m.commands = append(m.commands, own)
		}
	}
	var told []string
	for _, f := range c.Faults {
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
	if waits.text == "" || strings.TrimRight(m.composer.Value(), " \t\n") != waits.text {
		return nil // nothing waits, or the text was changed meanwhile: Enter sends it as it is now
	}
	if name, _, ok := session.CutCommand(waits.text); ok && c.FaultOf != nil {
		if fault := c.FaultOf(name); fault != "" { // rather than that there is no such command
			return m.flash(phrase.Line(fault), 3*quitWindow)
		}
	}
	return m.sendText(waits, true)
}
