package tui

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"chatvault/agent/event"
	"chatvault/internal/app/session"
	"chatvault/internal/base/terminal"
	"chatvault/internal/base/text"
	"chatvault/tui/chat"
	"chatvault/tui/complete"
	"chatvault/tui/dialog"
	"chatvault/tui/keys"
	"chatvault/tui/loop"
	"chatvault/tui/phrase"
)

// menu lists commands and keys.
type menu struct {
	*shared
	questions    *questions
	distinctKeys bool                 // the terminal distinguishes keys such as Shift+Enter and Alt+X
	completion   *complete.Completion // for the name being typed
	shows        map[string]view      // what the screen can show
	commands     []session.Command
	custom       session.Custom // the vault's own commands, read last
}

// view handles a command, given the words after its name.
type view func(words string) tea.Cmd

// alone returns a view that ignores words.
func alone(show func() tea.Cmd) view { return func(string) tea.Cmd { return show() } }

// viewsOf returns the views of the screen, without those for which Options lacks the means.
func (m *Model) viewsOf() map[string]view {
	o, l := m.o, &m.lists
	views := map[string]view{
		"help": alone(m.openHelp), "stop": alone(m.stopTurn), "quit": alone(m.quit),
		"theme": m.theme,
	}
	add := func(when bool, name string, show view) {
		if when {
			views[name] = show
		}
	}
	list := func(when bool, name string, of func(context.Context) (*session.List, error)) {
		add(when, name, alone(func() tea.Cmd { return l.open(of) }))
	}
	add(o.Conversation != nil, "edit", alone(m.loadUserMessages))
	list(o.Conversation != nil, "branches", func(ctx context.Context) (*session.List, error) { return session.ListBranches(ctx, o.Conversation) })
	add(o.Inbox != nil, "retry", alone(l.retryLast))
	list(o.Inbox != nil, "inbox", l.inbox)
	list(o.Changes != nil, "changes", func(ctx context.Context) (*session.List, error) { return session.ListChanges(ctx, o.Changes) })
	add(o.Changes != nil, "undo", l.undoTurn)
	add(o.Changes != nil, "redo", alone(l.redo))
	add(o.Conversation != nil, "new", alone(m.newConversation))
	list(o.Conversations != nil, "conversations", func(ctx context.Context) (*session.List, error) {
		return session.ListConversations(ctx, o.Conversations)
	})
	add(o.Vaults.List != nil && o.Vaults.Find != nil, "vault", l.vault)
	list(o.Settings != nil, "settings", func(ctx context.Context) (*session.List, error) {
		return session.ListSettings(ctx, o.Settings, false), nil
	})
	add(o.Models != nil, "model", m.chooseModel)
	add(o.Trust != nil, "trust", alone(m.openTrust))
	add(o.Copying != nil, "copy", m.copyCommand)
	add(o.Usage != nil, "cost", alone(m.askUsage))
	return views
}

// actionsOf returns the actions available to commands.
func actionsOf(o Options) *session.Actions {
	return &session.Actions{Goal: o.Goal, Approval: o.Approval, Conversation: o.Conversation, Routing: o.Routing, Servers: o.Servers, Models: o.Models, Skills: o.Trust}
}

// builtIn returns the screen's commands, without the vault's own.
func (n *menu) builtIn() []session.Command {
	table := n.o.Commands
	if table == nil {
		table = session.Commands()
	}
	return session.CommandsFor(table, actionsOf(n.o), func(v string) bool { return n.shows[v] != nil }, false)
}

// run runs a command.
func (m *Model) run(c *session.Command, words string, typed typedText) tea.Cmd {
	r := c.Do(session.Call{Words: words, State: &m.state, Do: actionsOf(m.o)})
	var keep tea.Cmd
	if r.Send == nil && r.Err == nil {
		keep = m.leaveEditing()
	}
	return tea.Batch(keep, m.reply(r, typed))
}

// reply shows the result of a command.
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
		m.appendItem(chat.NewNotice(m.env, r.Say))
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
	if show := m.shows[r.View]; show != nil {
		cmds = append(cmds, show(r.Words))
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

func (n *menu) openHelp() tea.Cmd {
	n.dialogs.Push(dialog.NewHelp(n.styles, n.help()))
	return nil
}

// commandNamed returns the command with a name, or nil.
func (n *menu) commandNamed(name string) *session.Command {
	if i := slices.IndexFunc(n.commands, func(c session.Command) bool { return c.Named(name) }); i >= 0 {
		return &n.commands[i]
	}
	return nil
}

// runMsg asks to run the named command.
type runMsg string

// typedText is a text to send; hold keeps it out of the running turn.
type typedText struct {
	text string
	hold bool
}

// lookForCustom reloads the custom commands in the background, since their files may have changed.
func (n *menu) lookForCustom() tea.Cmd {
	if n.o.Custom == nil {
		return nil
	}
	return loop.Then(n.ctx, n.o.Custom, func(c session.Custom, err error) tea.Cmd {
		n.customFound(c, err)
		return nil
	})
}

// customFound stores the custom commands and shows new faults.
func (n *menu) customFound(c session.Custom, err error) {
	if err != nil {
		c.Faults = append(c.Faults, "The vault's own commands could not be read: "+err.Error())
	} else {
		n.commands = n.builtIn()
		for _, own := range c.Commands {
			own.Does = terminal.Line(own.Does)
			n.commands = append(n.commands, own)
		}
	}
	for _, f := range c.Faults {
		if !slices.Contains(n.custom.Faults, f) {
			n.appendItem(chat.NewNotice(n.env, f))
		}
	}
	n.custom = c
	n.completion.CommandsChanged()
}

// openPalette opens the list of all commands, followed by actions that have only a key.
func (n *menu) openPalette() tea.Cmd {
	foot := []string{"Type to filter", "Enter to run", "Esc to close"}
	n.dialogs.Push(dialog.NewPicker(n.styles, "Commands", "No matches", n.paletteRows(), foot))
	return nil
}

func (n *menu) paletteRows() []dialog.Row {
	var rows []dialog.Row
	for _, c := range n.commands {
		rows = append(rows, dialog.Row{
			Label: c.Usage(session.Form{Args: c.Required()}), Value: c.Does,
			Find: c.Does + "\n" + strings.Join(c.Aliases, " "), Result: loop.Do(func() tea.Cmd { return n.runPicked(c.Name) }),
		})
	}
	for _, on := range []key.Binding{n.keys.Details, n.keys.Find, n.keys.SelectUp, n.keys.Cited, n.keys.Mouse, n.keys.Editor, n.keys.Search, n.keys.Redraw} {
		if h := on.Help(); on.Enabled() { // without a command
			does, _, _ := strings.Cut(h.Desc, ";")
			press := func() tea.Msg { return keys.Press(on.Keys()[0]) }
			rows = append(rows, dialog.Row{Label: text.Capital(does), Right: h.Key, Result: loop.Do(func() tea.Cmd { return press })})
		}
	}
	return rows
}

// runPicked runs a picked command. A command that requires words is inserted into the composer, before the text
// there.
func (n *menu) runPicked(name string) tea.Cmd {
	if c := n.commandNamed(name); c != nil && c.Required() != "" {
		n.composer.SetValue("/" + name + " " + n.composer.Value())
		n.questions.markTyped()
		return nil
	}
	return func() tea.Msg { return runMsg(name) }
}

// help returns all keys and commands in effect.
func (n *menu) help() []dialog.Section {
	sections := []dialog.Section{n.writingHelp()}
	if n.composer.Mode() != "" {
		sections = append(sections, viHelp)
	}
	keysOf := func(title string, actions []keys.Action) {
		s := dialog.Section{Title: title}
		for _, a := range actions {
			if a.Binding.Enabled() {
				s.Entries = append(s.Entries, dialog.Entry{Name: a.Binding.Help().Key, Does: a.Binding.Help().Desc})
			}
		}
		sections = append(sections, s)
	}
	keysOf("Chat", keys.Actions("", &n.keys.keyMap))
	builtIn, own := dialog.Section{Title: "Commands"}, dialog.Section{Title: "Commands of this vault"}
	for _, c := range n.commands {
		section := &builtIn
		if c.Expand != nil {
			section = &own
		}
		for _, f := range c.Forms() {
			section.Entries = append(section.Entries, dialog.Entry{Name: c.Usage(f), Does: f.Does})
		}
	}
	sections = append(sections, builtIn)
	if n.o.Custom != nil {
		own.Entries = append(own.Entries, dialog.Entry{
			Name: ".smarthole/commands/", Does: "your own commands: a note weekly.md there is /weekly and sends its text, with the words you type after it in place of $ARGUMENTS",
		})
	}
	if len(own.Entries) > 0 {
		sections = append(sections, own)
	}
	for _, l := range n.keys.layers() {
		if l.Name != "chat" {
			keysOf(cmp.Or(helpTitles[l.Name], strings.ToUpper(l.Name[:1])+l.Name[1:]), l.Actions)
		}
	}
	for _, s := range sections {
		for i, e := range s.Entries {
			if !n.distinctKeys { // the terminal sends the same for Shift+Enter as for Enter
				s.Entries[i].Name = strings.ReplaceAll(e.Name, "Shift+Enter, ", "")
			}
		}
	}
	return sections
}

// writingHelp describes the special characters in messages and input other than keys.
func (n *menu) writingHelp() dialog.Section {
	vault, s := n.o.Completing != nil, dialog.Section{Title: "While you write"}
	add := func(when bool, name, does string) {
		if when {
			s.Entries = append(s.Entries, dialog.Entry{Name: name, Does: does})
		}
	}
	add(vault, "[[", "link a note: type part of its name or alias; # after it lists its headings")
	add(vault, "@", "attach a file or folder: the row above the text says how much of it is sent")
	add(vault, "#", "insert a tag")
	add(true, "/", "run a command, at the start; with a space before it, it is a message")
	add(vault, "Dropped file", "a file or folder of the vault dropped here, or a link copied from Obsidian, becomes its name")
	add(n.o.Mouse, "Click", "select a message, show a note it names, or fold or unfold a step")
	return s
}

// helpTitles are the titles of sections of temporary keys.
var helpTitles = map[string]string{
	"completion": "While suggestions are shown", "selected": "While something is selected", "finding": "While finding",
}

// idleKeys returns variants of the idle status line, longest first, with the key for details once there is a conversation.
func (n *menu) idleKeys() []string {
	k := n.keys
	help := keys.First(k.Help, "/help for") + " help"
	if !n.composer.Commanding() {
		help = keys.First(k.HelpWhenEmpty, help[:len(help)-len(" help")]) + " help"
	}
	sends, details := keys.First(k.Send, "Enter")+" sends", keys.First(k.Details, "")
	if details == "" || n.welcome.Shown() {
		return []string{phrase.Join(sends, help)}
	}
	return []string{phrase.Join(sends, details+" details", help), phrase.Join(sends, help)}
}
