package tui

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"chatvault/agent/event"
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
func (m *Model) mayBeCustom(text string, p parsed) bool {
	if m.o.Custom == nil || p.command != nil && !p.command.custom {
		return false
	}
	name, _, ok := cutName(text)
	return ok && !slices.ContainsFunc(commandsFor(m.o), func(c command) bool { return c.named(name) })
}

// cutName takes the name off a text that begins as a command does.
func cutName(text string) (name, words string, ok bool) {
	text, ok = strings.CutPrefix(text, "/")
	if !ok {
		return "", "", false
	}
	name = text
	if i := strings.IndexAny(text, " \t\n"); i >= 0 {
		name, words = text[:i], strings.TrimSpace(text[i:])
	}
	name = strings.ToLower(name)
	return name, words, name != "" && !strings.ContainsAny(name, "/.")
}

// customFound takes the custom commands, tells of faults that are news, and runs what waits.
func (m *Model) customFound(msg customMsg) tea.Cmd {
	if msg.err != nil {
		msg.Faults = append(msg.Faults, "The vault's own commands could not be read: "+msg.err.Error())
	} else {
		m.commands = commandsFor(m.o)
		own := len(m.commands)
		for _, c := range msg.Commands {
			m.commands = slices.Insert(m.commands, own, customCommand(c))
			own++
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
	if name, _, ok := cutName(msg.waits.text); ok && msg.FaultOf != nil {
		if fault := msg.FaultOf(name); fault != "" { // rather than that there is no such command
			return m.pass(phrase.Line(fault), 3*quitWindow)
		}
	}
	return m.sendText(msg.waits, true)
}

// customCommand is a custom command as the others are.
func customCommand(c session.CustomCommand) command {
	out := command{name: c.Name, args: c.Args, does: safe.Line(c.Does), custom: true, expand: c.Expand}
	out.with = func(m *Model, words string) tea.Cmd { return m.runCustom(out, words, false) }
	if !c.Needs {
		out.run = func(m *Model) tea.Cmd { return m.runCustom(out, "", false) }
	}
	return out
}

// runCustom sends what a custom command expands to.
func (m *Model) runCustom(c command, words string, hold bool) tea.Cmd {
	text, err := c.expand(words)
	if err != nil {
		if m.composer.Empty() {
			m.composer.SetValue(strings.TrimSpace("/" + c.name + " " + words))
		}
		return m.pass(err.Error(), 3*quitWindow)
	}
	return m.submit(event.Inbound{Text: text, Hold: hold})
}

// sendEditedCustom sends what a custom command expands to in the place of the message that is
// edited.
func (m *Model) sendEditedCustom(typed string, p parsed) tea.Cmd {
	text, err := p.command.expand(p.words)
	if err != nil {
		return m.pass(err.Error(), 3*quitWindow)
	}
	return m.sendEdited(typed, text, event.ModeAct)
}
