package session

import (
	"context"
	"errors"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"chatvault/agent/event"
	"chatvault/internal/base/text"
)

// Command is a slash command. It runs without a model call.
type Command struct {
	Name    string
	Aliases []string
	Args    string // placeholder of its argument: "TEXT"; empty if none
	Needs   bool   // it requires an argument
	Does    string // description for the help, without a full stop
	More    []Form // its other forms
	Lists   []Form // more forms where views are printed as lists

	// When reports whether the command exists; nil means always.
	When func(*Actions) bool
	// Run returns the command's reply. If it and Expand are nil, each front-end shows or does what the command names in
	// its own way, and front-ends that cannot do not have the command.
	Run func(Call) Reply
	// Expand returns the message for a command that the vault defines, or an error that names what is missing.
	Expand func(words string) (string, error)
}

// Form is one usage of a command.
type Form struct{ Args, Does string }

// GoalActions change the goal.
type GoalActions interface {
	SetGoal(text string) (event.Goal, error) // empty drops it
	ResumeGoal() error                       // resumes a paused goal
}

// ConversationActions act on the current conversation.
type ConversationActions interface {
	Compact() error    // summarizes it for the model
	Retrospect() error // reviews it, or the last one; an event has the result
	// ExportActive writes it to a file, as JSON if the name ends with .json, else as Markdown, and returns the path.
	// An empty name chooses one. Existing files are not overwritten.
	ExportActive(ctx context.Context, file string) (path string, err error)
}

// ApprovalActions read and set which changes require consent.
type ApprovalActions interface {
	Approval() event.Approval
	SetApproval(a event.Approval) error // from the next change on, until the program exits
}

// RoutingActions connect to SmartHole, which routes messages here.
type RoutingActions interface {
	On() error // connects and stays connected
	Off()      // disconnects
	Status() RouteStatus
}

// ServerActions are for the MCP servers whose tools the agent may use.
type ServerActions interface {
	Describe() string
	Switch(name string, on bool) (said string, err error)
	LogOf(name string) (string, error)
}

// SkillActions describe the agent's skills.
type SkillActions interface{ Skills() string }

// EffortActions read and set how much the model reasons.
type EffortActions interface {
	Effort() string
	Efforts() (model string, efforts []string)
	UseEffort(effort string) (said string, err error)
}

// Actions are what commands act through. Commands with a nil action do not exist.
type Actions struct {
	Goal         GoalActions
	Approval     ApprovalActions
	Conversation ConversationActions
	Routing      RoutingActions
	Servers      ServerActions // nil if none are configured
	Models       EffortActions
	Skills       SkillActions
}

// Call is a command to be run. State must not be retained.
type Call struct {
	Words string
	State *State
	Do    *Actions
}

// Reply is the result of a command. The front-end handles its fields in this order.
type Reply struct {
	// Act runs the slow part and returns the rest of the reply.
	Act  func(context.Context) Reply
	Told event.Event // applies now; the event itself follows
	Err  error       // in whole sentences; nothing was done
	Keep bool        // with Err: restore what was typed
	Say  string      // what was done
	Hint string      // transient remark
	Send *event.Inbound
	View string // name of the command that the front-end shows or does, with Words
	// Words are the argument for View.
	Words string
}

func refused(text string) Reply { return Reply{Err: errors.New(text)} }

// failed returns the reply to an error; what names what was not done.
func failed(what string, err error) Reply { return refused(what + ": " + err.Error()) }

// acting returns a reply that runs a slow action and then replies with then. On an error, otherwise names what was
// not done.
func acting(otherwise string, do func() error, then Reply) Reply {
	return Reply{Act: func(context.Context) Reply {
		if err := do(); err != nil {
			return failed(otherwise, err)
		}
		return then
	}}
}

// Do runs a command.
func (c *Command) Do(call Call) Reply {
	switch {
	case c.Run != nil:
		return c.Run(call)
	case c.Expand != nil:
		text, err := c.Expand(call.Words)
		if err != nil {
			return Reply{Err: err, Keep: true}
		}
		return Reply{Send: &event.Inbound{Text: text}}
	}
	return Reply{View: c.Name, Words: call.Words}
}

// Named reports whether a command has a name or alias.
func (c *Command) Named(name string) bool {
	called := func(as string) bool { return strings.EqualFold(name, as) }
	return called(c.Name) || slices.ContainsFunc(c.Aliases, called)
}

// Required returns the argument that the command requires, or "".
func (c *Command) Required() string {
	if c.Needs {
		return c.Args
	}
	return ""
}

// Alone describes what the command does without an argument.
func (c *Command) Alone() string {
	for _, f := range c.More {
		if f.Args == "" {
			return f.Does
		}
	}
	return c.Does
}

// Forms returns the forms of the command as the help lists them.
func (c *Command) Forms() []Form { return append([]Form{{c.Args, c.Does}}, c.More...) }

// takesWords reports whether the command accepts an argument.
func (c *Command) takesWords() bool {
	return c.Expand != nil || slices.ContainsFunc(c.Forms(), func(f Form) bool { return f.Args != "" })
}

// Usage returns how a form of the command is typed.
func (c *Command) Usage(f Form) string { return strings.TrimSpace("/" + c.Name + " " + f.Args) }

// CommandsFor returns the commands of a table for which a front-end has the actions and views. printed means that it
// prints views as lists, which some commands and forms need.
func CommandsFor(table []Command, do *Actions, has func(name string) bool, printed bool) []Command {
	out := slices.DeleteFunc(slices.Clone(table), func(c Command) bool {
		return c.When != nil && !c.When(do) || c.Run == nil && !has(c.Name)
	})
	for i := range out {
		if c := &out[i]; printed {
			c.More = slices.Concat(c.More, c.Lists)
		}
	}
	return out
}

// CommandNames returns the names and aliases of a table. Vaults cannot define commands with these names.
func CommandNames(table []Command) []string {
	var out []string
	for _, c := range table {
		out = append(append(out, c.Name), c.Aliases...)
	}
	return out
}

// Typed is the result of parsing input: a message, a command, or a mistake.
type Typed struct {
	Command *Command // to run
	Words   string   // argument
	// Hint describes why the input is neither a command nor a message.
	Hint string
}

// asMessage explains how to send a text that begins with a slash.
const asMessage = "To send it as a message, put a space before it."

// CutCommand splits input that begins like a command: a slash, and a word without another slash. Input that begins
// with a path is a message.
func CutCommand(typed string) (name, words string, ok bool) {
	typed, ok = strings.CutPrefix(strings.TrimRight(typed, " \n"), "/")
	if !ok {
		return "", "", false
	}
	name = typed
	if i := strings.IndexAny(typed, " \t\n"); i >= 0 {
		name, words = typed[:i], strings.TrimSpace(typed[i:])
	}
	if strings.Contains(name, "/") {
		return "", "", false
	}
	return norm.NFC.String(strings.ToLower(name)), words, true // file systems may store decomposed characters
}

// ParseTyped parses input for a set of commands. Input that begins with a slash is a command or a mistake; a space
// before the slash makes it a message.
func ParseTyped(typed string, commands []Command) Typed {
	name, words, ok := CutCommand(typed)
	if !ok {
		return Typed{}
	}
	for i := range commands {
		c := &commands[i]
		switch {
		case !c.Named(name):
			continue
		case words != "" && !c.takesWords():
			return Typed{Hint: "/" + c.Name + " takes no words after it. " + asMessage}
		case words == "" && c.Needs:
			return Typed{Hint: strings.TrimSpace("/"+c.Name+" needs words after it: /"+c.Name+" "+c.Args) + "."}
		}
		return Typed{Command: c, Words: words}
	}
	return Typed{Hint: UnknownCommand(name, commands)}
}

// UnknownCommand returns the error text for an unknown command, with the most similar name.
func UnknownCommand(name string, commands []Command) string {
	if near := text.Near(name, CommandNames(commands)); near != "" {
		return "There is no command /" + name + ". Did you mean /" + near + "? " + asMessage
	}
	return "There is no command /" + name + "; /help lists them. " + asMessage
}

// CommandHelp lists commands, a line each: "/goal drop: drop the goal".
func CommandHelp(commands []Command) []string {
	var out []string
	for i := range commands {
		c := &commands[i]
		for _, f := range c.Forms() {
			out = append(out, c.Usage(f)+": "+f.Does)
		}
	}
	return out
}

// InAsk returns what to do instead for input that is a command of the chat, where only a single request is made, or ""
// for other input.
func InAsk(typed string, table []Command) string {
	name, _, ok := CutCommand(typed)
	if !ok || !slices.Contains(CommandNames(table), name) {
		return ""
	}
	return "/" + name + " is a command of the chat, not a message; chatvault --help lists what there is without the chat. " + asMessage
}
