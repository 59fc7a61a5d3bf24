package tui

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"chatvault/internal/text"
	"chatvault/tui/dialog"
)

// command is something the screen does when it is typed after a slash, before any model is
// called.
type command struct {
	name, args, does string
	run              func(*Model) tea.Cmd          // without words after it; nil: it needs some
	with             func(*Model, string) tea.Cmd  // with words; nil: it takes none
	more             []struct{ args, does string } // further lines of the help
	also             []string                      // other names it goes by
	custom           bool                          // of the vault's own
	expand           func(string) (string, error)  // of a custom one: the message that the words make
}

// named says whether a command goes by a name.
func (c *command) named(name string) bool {
	return strings.EqualFold(name, c.name) || slices.ContainsFunc(c.also, func(n string) bool { return strings.EqualFold(name, n) })
}

// commandsFor lists the commands; those whose means Options does not give are left out.
func commandsFor(o Options) []command {
	decide := o.Unfinished != nil && o.Retry != nil && o.Drop != nil
	var all []command
	for _, offer := range []struct {
		when bool
		command
	}{
		{true, command{name: "help", does: "keys and commands", run: (*Model).openHelp}},
		{true, command{name: "stop", does: "stop the running turn", run: (*Model).stopTurn}},
		{true, command{name: planName, args: "TEXT", does: "have a plan made first, and carried out when you agree", with: (*Model).planCommand}},
		{o.SetGoal != nil && o.ResumeGoal != nil, command{
			name: "goal", args: "TEXT", does: "work toward it over several turns, until it is met",
			run: (*Model).showGoal, with: (*Model).goalCommand,
			more: []struct{ args, does string }{{"", "how the goal stands"}, {"resume", "go on with a paused goal"}, {"drop", "work toward it no longer"}},
		}},
		{o.History != nil && o.Fork != nil, command{name: "edit", does: "edit an earlier message of yours: it is sent as a new branch", run: (*Model).openEdit}},
		{o.Branches != nil && o.Switch != nil, command{name: "branches", does: "the ways this conversation went", run: (*Model).openBranches}},
		{decide, command{name: "retry", does: "try the message again that failed last", run: (*Model).retryLast}},
		{o.Changes.List != nil && o.Changes.Show != nil, command{name: "changes", does: "what was changed in the vault, turn by turn", run: (*Model).openChanges}},
		{o.Changes.Undo != nil, command{
			name: "undo", does: "take back what the last turn changed", run: (*Model).undoLast, with: (*Model).undoCommand,
			more: []struct{ args, does string }{{"ID", "take back what a turn changed, by the id that chatvault changes lists"}},
		}},
		{o.Changes.Redo != nil, command{name: "redo", does: "restore what the last undo took back", run: (*Model).redoLast}},
		{o.NewConversation != nil, command{name: "new", does: "begin a new conversation", run: (*Model).newConversation}},
		{o.Conversations.List != nil && o.Conversations.Read != nil, command{name: "conversations", does: "find, read, continue, rename, export and delete conversations", run: (*Model).openConversations}},
		{o.Vaults.List != nil && o.Vaults.Open != nil, command{
			name: "vault", does: "go over to another vault", run: (*Model).openVaults, with: (*Model).vaultCommand,
			more: []struct{ args, does string }{{"FOLDER", "open the vault in a folder"}},
		}},
		{o.Settings.List != nil && o.Settings.Set != nil, command{name: "settings", does: "see and change the configuration", run: (*Model).openSettings}},
		{canChoose(o), command{
			name: "model", does: "choose the model, from the next turn on", run: (*Model).openModels, with: (*Model).modelCommand,
			more: []struct{ args, does string }{{"NAME", "take a model by its name, or by provider/model"}},
		}},
		{true, command{
			name: "theme", does: "choose the colours, seen at once", run: (*Model).openThemes, with: (*Model).themeCommand,
			more: []struct{ args, does string }{{"NAME", "take a theme by its name"}},
		}},
		{decide, command{name: "inbox", does: "messages that were not finished", run: (*Model).openInbox}},
		{o.Compact != nil, command{name: "compact", does: "summarise the conversation so far for the model", run: (*Model).compact}},
		{o.Retrospect != nil, retrospecting(o)},
		{o.Trust != nil, command{name: "trust", does: "see what this vault brings that would steer the agent, and agree or not", run: (*Model).askTrust}},
		{o.Routing != nil, command{
			name: "smarthole", args: "on", does: "take messages that SmartHole routes here",
			run: (*Model).showRoute, with: (*Model).smartHole,
			more: []struct{ args, does string }{{"off", "take none any more"}},
		}},
		{o.Copying.Copy != nil, command{
			name: "copy", does: "copy the last answer", run: (*Model).copyLast, with: (*Model).copyCommand,
			more: []struct{ args, does string }{{"code", "its last block of code"}, {"all", "the conversation, as Markdown"}},
		}},
		{o.Export != nil, command{
			name: "export", does: "write this conversation to a file", run: func(m *Model) tea.Cmd { return m.export("") }, with: (*Model).export,
			more: []struct{ args, does string }{{"FILE", "to this one: JSON where its name ends with .json, else Markdown"}},
		}},
		{o.Usage != nil, command{name: "cost", does: "tokens and cost: by turn, conversation and day", run: (*Model).askUsage, also: []string{"usage"}}},
		{true, command{name: "quit", does: "leave chatvault", run: (*Model).leave}},
	} {
		if offer.when {
			all = append(all, offer.command)
		}
	}
	return all
}

// retrospecting is /retrospect, with what it proposes to take where that can be taken.
func retrospecting(o Options) command {
	c := command{name: "retrospect", does: "look back at this conversation, or the one before", run: (*Model).retrospect}
	if o.Architecture != nil {
		c.with = (*Model).retrospectCommand
		c.more = []struct{ args, does string }{{"accept", "see what a look back proposes, and take it or not"}}
	}
	return c
}

// parsed is what a typed text is.
type parsed struct {
	command *command // to run
	words   string   // after it
	hint    string   // why it is neither a command nor a message
}

// parseCommand says what text is. A text that begins with a slash is a command,
// known or mistyped; a space before the slash sends it as it is.
func parseCommand(text string, commands []command) parsed {
	if !strings.HasPrefix(text, "/") {
		return parsed{}
	}
	line := strings.TrimRight(text, " \n")
	name, args := line[1:], ""
	if i := strings.IndexAny(name, " \t\n"); i >= 0 {
		name, args = name[:i], strings.TrimSpace(name[i:])
	}
	for i := range commands {
		if commands[i].named(name) {
			c := &commands[i]
			switch {
			case args != "" && c.with == nil:
				return parsed{hint: "/" + c.name + " takes no words after it. To send this as a message, put a space before it."}
			case args == "" && c.run == nil:
				return parsed{hint: "/" + c.name + " needs words after it: /" + c.name + " " + c.args + "."}
			}
			return parsed{command: c, words: args}
		}
	}
	near := nearest(name, commands)
	if args != "" && near != "" {
		return parsed{hint: "Did you mean /" + near + "? To send this as a message, put a space before it."}
	}
	if args != "" || strings.ContainsAny(name, "/\n.") || name == "" {
		return parsed{hint: "This begins with / as a command does. To send it as a message, put a space before it; /help lists the commands."}
	}
	hint := "There is no command /" + name + "; /help lists them."
	if near != "" {
		hint = "Did you mean /" + near + "? " + hint
	}
	return parsed{hint: hint}
}

// do runs a command that was parsed.
func (p parsed) do(m *Model) tea.Cmd {
	if p.words != "" {
		return p.command.with(m, p.words)
	}
	return p.command.run(m)
}

// entries are a command's lines in the help.
func (c command) entries() []dialog.Entry {
	out := []dialog.Entry{{Name: strings.TrimSpace("/" + c.name + " " + c.args), Does: c.does}}
	for _, m := range c.more {
		out = append(out, dialog.Entry{Name: strings.TrimSpace("/" + c.name + " " + m.args), Does: m.does})
	}
	return out
}

// nearest gives the command a mistyped name most likely means, or "".
func nearest(name string, commands []command) string {
	names := make([]string, len(commands))
	for i, c := range commands {
		names[i] = c.name
	}
	return text.Near(name, names)
}

func (m *Model) openHelp() tea.Cmd {
	m.openedHelp = dialog.NewHelp(m.styles, m.help())
	m.dialogs.Push(m.openedHelp)
	return m.lookForCustom(typedText{})
}
