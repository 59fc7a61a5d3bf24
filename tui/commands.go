package tui

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"chatvault/agent/event"
	"chatvault/internal/session"
	"chatvault/internal/terminal"
	"chatvault/tui/chat"
	"chatvault/tui/dialog"
	"chatvault/tui/loop"
	"chatvault/tui/phrase"
)

// view shows what a command names, or does it; words may follow.
type view func(m *Model, words string) tea.Cmd

// alone is a view that takes no words.
func alone(show func(*Model) tea.Cmd) view {
	return func(m *Model, _ string) tea.Cmd { return show(m) }
}

// either is a view that does another thing with words.
func either(show func(*Model) tea.Cmd, with view) view {
	return func(m *Model, words string) tea.Cmd {
		if words != "" {
			return with(m, words)
		}
		return show(m)
	}
}

// viewsOf are what the screen shows for commands; what Options does not give the means for is left out.
func viewsOf(o Options) map[session.View]view {
	views := map[session.View]view{
		session.ViewHelp: alone((*Model).openHelp), session.ViewStop: alone((*Model).stopTurn), session.ViewGoal: alone((*Model).showGoal),
		session.ViewThemes: either(
			func(m *Model) tea.Cmd { return m.views.themes.Open() },
			func(m *Model, words string) tea.Cmd { return m.views.themes.Named(words) },
		),
		session.ViewQuit:     alone((*Model).leave),
		session.ViewProposal: alone((*Model).openProposal),
	}
	add := func(when bool, name session.View, v view) {
		if when {
			views[name] = v
		}
	}
	add(o.Conversation != nil, session.ViewEdit, alone((*Model).openEdit))
	add(o.Conversation != nil, session.ViewArtifacts, alone(func(m *Model) tea.Cmd { return m.views.artifacts.Open() }))
	add(o.Conversation != nil, session.ViewBranches, alone(func(m *Model) tea.Cmd { return m.views.branches.Open() }))
	add(o.Inbox != nil, session.ViewRetry, alone(func(m *Model) tea.Cmd { return m.views.unfinished.RetryLast() }))
	add(o.Inbox != nil, session.ViewInbox, alone(func(m *Model) tea.Cmd { return m.views.unfinished.Open() }))
	add(o.Changes != nil, session.ViewChanges, alone(func(m *Model) tea.Cmd { return m.views.changes.Open() }))
	add(o.Changes != nil, session.ViewUndo, func(m *Model, words string) tea.Cmd { return m.views.changes.Undo(words) })
	add(o.Changes != nil, session.ViewRedo, alone(func(m *Model) tea.Cmd { return m.views.changes.Redo() }))
	add(o.Conversation != nil, session.ViewNew, alone((*Model).newConversation))
	add(o.Conversations != nil, session.ViewConversations, alone(func(m *Model) tea.Cmd { return m.views.conversations.Open() }))
	add(o.Vaults.List != nil && o.Vaults.Open != nil, session.ViewVaults, either((*Model).openVaults, (*Model).vaultCommand))
	add(o.Settings != nil, session.ViewSettings, alone(func(m *Model) tea.Cmd { return m.views.settings.Open() }))
	add(canChoose(o), session.ViewModels, either((*Model).openModels, func(m *Model, words string) tea.Cmd {
		return m.views.models.Named(words)
	}))
	add(o.Trust != nil, session.ViewTrust, alone(func(m *Model) tea.Cmd { return m.views.trust.Ask() }))
	add(o.Routing != nil, session.ViewRoute, alone((*Model).showRoute))
	add(o.Copying != nil, session.ViewCopy, either((*Model).copyLast, (*Model).copyCommand))
	add(o.Usage != nil, session.ViewUsage, alone((*Model).askUsage))
	return views
}

// actionsOf are what commands act through.
func actionsOf(o Options) *session.Actions {
	return &session.Actions{Goal: o.Goal, Approval: o.Approval, Conversation: o.Conversation, Routing: o.Routing, Servers: o.Servers, Models: o.Models, Skills: o.Trust}
}

// commandsOf are the commands the screen has, without the vault's own.
func commandsOf(o Options) []session.Command {
	table := o.Commands
	if table == nil {
		table = session.Commands()
	}
	views := viewsOf(o)
	return session.CommandsFor(table, actionsOf(o), func(v session.View) bool { return views[v] != nil })
}

// run runs a command.
func (m *Model) run(c *session.Command, words string, typed typedText) tea.Cmd {
	m.usedCommand(c.Name)
	r := c.Do(session.Call{Words: words, State: &m.state, Do: actionsOf(m.o)})
	if m.editing != nil && r.Send == nil && r.Err == nil {
		return tea.Batch(m.leaveEditing(), m.reply(r, typed))
	}
	return m.reply(r, typed)
}

// reply acts on what a command came to.
func (m *Model) reply(r session.Reply, typed typedText) tea.Cmd {
	var cmds []tea.Cmd
	if act, ctx := r.Act, m.ctx; act != nil {
		cmds = append(cmds, func() tea.Msg {
			r := act(ctx)
			return loop.Do(func() tea.Cmd { return m.reply(r, typed) })
		})
	}
	if r.Told != nil {
		m.event(r.Told)
	}
	if r.Say != "" {
		m.say(chat.NewNotice(m.env, r.Say))
	}
	switch {
	case r.Err != nil:
		if r.Keep && m.composer.Empty() {
			m.composer.SetValue(typed.text)
		}
		cmds = append(cmds, m.flash(r.Err.Error(), 3*quitWindow))
	case r.Hint != "":
		cmds = append(cmds, m.flash(r.Hint, 3*quitWindow))
	}
	if show := viewsOf(m.o)[r.View]; show != nil {
		cmds = append(cmds, show(m, r.Words))
	}
	if r.Send != nil {
		in := *r.Send
		in.Hold = in.Hold || typed.hold
		if m.editing != nil {
			cmds = append(cmds, m.sendEdited(typed.text, in.Text, planMode(in.Mode == event.ModePlan)))
		} else {
			cmds = append(cmds, m.submit(in))
		}
	}
	return tea.Batch(cmds...)
}

// entriesOf are a command's lines in the help.
func entriesOf(c *session.Command) []dialog.Entry {
	var out []dialog.Entry
	for _, f := range c.Forms() {
		out = append(out, dialog.Entry{Name: c.Usage(f), Does: f.Does})
	}
	return out
}

func (m *Model) openHelp() tea.Cmd {
	m.openedHelp = dialog.NewHelp(m.styles, m.help())
	m.dialogs.Push(m.openedHelp)
	return m.lookForCustom(typedText{})
}

// commandNamed is the command of a name that the screen has; nil: there is none.
func (m *Model) commandNamed(name string) *session.Command {
	if i := slices.IndexFunc(m.commands, func(c session.Command) bool { return c.Named(name) }); i >= 0 {
		return &m.commands[i]
	}
	return nil
}

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
