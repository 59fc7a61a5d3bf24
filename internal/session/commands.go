package session

import (
	"context"
	"errors"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"chatvault/agent/event"
	"chatvault/internal/text"
)

// Command is something that is done when it is typed after a slash, before any model is called.
type Command struct {
	Name    string
	Aliases []string
	Args    string // the words it is used with: "TEXT"; empty: none
	Needs   bool   // it cannot do without words
	Does    string // in the help, without a full stop
	More    []Form // the other forms it has
	Lists   []Form // those it has besides where views are printed as lists
	Listed  bool   // there is such a command only there
	Ask     string // what does the same where one request is made: "Run: chatvault undo"

	// View is what a front-end shows or does for it, each in its own way; where it has none of it
	// there is no such command. It is given the words, unless Run decides otherwise.
	View View
	// When says whether there is such a command; nil: always.
	When func(*Actions) bool
	// Run decides what it comes to; nil: View.
	Run func(Call) Reply
	// Expand makes, of a command of the vault's own, the message that its words are sent as; its
	// error says what is missing.
	Expand func(words string) (string, error)
}

// Form is a way to use a command.
type Form struct{ Args, Does string }

// View is what a front-end shows or does in its own way.
type View string

// The views.
const (
	ViewHelp          View = "help"
	ViewStop          View = "stop"
	ViewEdit          View = "edit"
	ViewBranches      View = "branches"
	ViewRetry         View = "retry"
	ViewDrop          View = "drop"
	ViewChanges       View = "changes"
	ViewUndo          View = "undo"
	ViewRedo          View = "redo"
	ViewNew           View = "new"
	ViewHistory       View = "history"
	ViewConversations View = "conversations"
	ViewVaults        View = "vaults"
	ViewSettings      View = "settings"
	ViewModels        View = "models"
	ViewThemes        View = "themes"
	ViewInbox         View = "inbox"
	ViewDraft         View = "draft"
	ViewProposal      View = "proposal"
	ViewTrust         View = "trust"
	ViewCopy          View = "copy"
	ViewUsage         View = "usage"
	ViewQuit          View = "quit"
)

// GoalActions change what is worked toward.
type GoalActions interface {
	SetGoal(text string) (event.Goal, error) // empty: drop it
	ResumeGoal() error                       // goes on with a paused one
}

// ConversationActions do something with the conversation so far.
type ConversationActions interface {
	Compact() error    // summarises it for the model
	Retrospect() error // looks back at it, or at the last one; an event tells what comes of it
	// ExportActive writes it to a file, as Markdown or, where the name ends with .json, as JSON; an
	// empty name is one of its own making. It returns where it is, and overwrites nothing.
	ExportActive(ctx context.Context, file string) (path string, err error)
}

// ApprovalActions say which changes wait for the user's consent.
type ApprovalActions interface {
	Approval() event.Approval
	SetApproval(a event.Approval) error // from the next change on, until the program ends
}

// RoutingActions are the way in for messages that SmartHole routes here.
type RoutingActions interface {
	On() error // connects, and keeps connected; its error says why that cannot be
	Off()      // disconnects
	Status() RouteStatus
}

// ServerActions are the servers whose tools the agent may use.
type ServerActions interface {
	Describe() string
	Switch(name string, on bool) (said string, err error)
	LogOf(name string) (string, error)
}

// SkillActions are the agent's skills.
type SkillActions interface{ Skills() string }

// EffortActions are how much the model reasons.
type EffortActions interface {
	Effort() string
	Efforts() (model string, efforts []string)
	UseEffort(effort string) (said string, err error)
}

// Actions are what commands act through. What is missing has no command.
type Actions struct {
	Goal         GoalActions
	Approval     ApprovalActions
	Conversation ConversationActions
	Routing      RoutingActions
	Servers      ServerActions // nil: none are configured
	Models       EffortActions
	Skills       SkillActions
}

// Call is a command that is to run. State is looked at and not kept.
type Call struct {
	Words string
	State *State
	Do    *Actions
}

// Reply is what a command comes to. Its parts are for the front-end to act on, in this order.
type Reply struct {
	// Act does what takes a while, and gives the rest of the reply.
	Act  func(context.Context) Reply
	Told event.Event // is so from now on; the event itself comes later
	Err  error       // in whole sentences: nothing was done
	Keep bool        // with Err: what was typed is given back
	Say  string      // what was done
	Hint string      // a passing word
	Send *event.Inbound
	View View // with Words
	// Words are those for the view.
	Words string
}

func refused(text string) Reply { return Reply{Err: errors.New(text)} }

// failed is the reply to an error; what says what was not done.
func failed(what string, err error) Reply { return refused(what + ": " + err.Error()) }

// acting does what takes a while, and is followed by a reply where that went well; otherwise says what was not done.
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
	return Reply{View: c.View, Words: call.Words}
}

// Named says whether a command goes by a name.
func (c *Command) Named(name string) bool {
	called := func(as string) bool { return strings.EqualFold(name, as) }
	return called(c.Name) || slices.ContainsFunc(c.Aliases, called)
}

// Required is what must follow a command's name; empty: nothing must.
func (c *Command) Required() string {
	if c.Needs {
		return c.Args
	}
	return ""
}

// Alone is what a command does without words.
func (c *Command) Alone() string {
	for _, f := range c.More {
		if f.Args == "" {
			return f.Does
		}
	}
	return c.Does
}

// Forms are the ways to use a command, as the help lists them.
func (c *Command) Forms() []Form { return append([]Form{{c.Args, c.Does}}, c.More...) }

// takesWords says whether a command means something with words after it.
func (c *Command) takesWords() bool {
	return c.Expand != nil || slices.ContainsFunc(c.Forms(), func(f Form) bool { return f.Args != "" })
}

// Usage is how a form of a command is typed.
func (c *Command) Usage(f Form) string { return strings.TrimSpace("/" + c.Name + " " + f.Args) }

// CommandsFor are the commands of a table that a front-end has: those it can act on, and whose
// views it has.
func CommandsFor(table []Command, do *Actions, has func(View) bool) []Command {
	return slices.DeleteFunc(withMeans(table, do, has), func(c Command) bool { return c.Listed })
}

func withMeans(table []Command, do *Actions, has func(View) bool) []Command {
	return slices.DeleteFunc(slices.Clone(table), func(c Command) bool {
		return c.When != nil && !c.When(do) || c.View != "" && !has(c.View)
	})
}

// PrintedCommands are CommandsFor where views are printed as lists.
func PrintedCommands(table []Command, do *Actions, has func(View) bool) []Command {
	out := withMeans(table, do, has)
	for i := range out {
		c := &out[i]
		c.More = append(c.More[:len(c.More):len(c.More)], c.Lists...)
	}
	return out
}

// CommandNames are the names of the commands of a table, also those they go by besides: no
// command of a vault's own may be called so.
func CommandNames(table []Command) []string {
	var out []string
	for _, c := range table {
		out = append(append(out, c.Name), c.Aliases...)
	}
	return out
}

// Typed is what a typed text is: a message, unless it is a command or what was meant for one.
type Typed struct {
	Command *Command // to run
	Words   string   // after it
	// Hint says why it is neither a command nor a message.
	Hint string
}

// asMessage is how a text that begins with a slash is sent.
const asMessage = "To send it as a message, put a space before it."

// CutCommand takes the name off a text that begins as a command does: a slash, and one word without
// another. A path is no name of a command, and a text that begins with one is a message.
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
	return norm.NFC.String(strings.ToLower(name)), words, true // file systems may keep marks apart from letters
}

// ParseTyped says what a text is, where there are these commands. One that begins with a slash is a
// command, known or mistyped; a space before the slash sends it as it is.
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

// UnknownCommand says that there is no command of a name, and which was most likely meant.
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

// InAsk says, of a text that is a command or was meant for one, what to do instead where only one
// request is made; empty: it is a message. names are those of the vault's own commands.
func InAsk(typed string, table []Command, own []Command) string {
	name, _, ok := CutCommand(typed)
	if !ok {
		return ""
	}
	all := append(append([]Command{}, table...), own...)
	for i := range table {
		if c := &table[i]; c.Named(name) {
			return "/" + name + " is a command of the chat, not a message. " + c.Ask + "\n" + asMessage
		}
	}
	hint := UnknownCommand(name, all)
	near := text.Near(name, CommandNames(all))
	for i := range table {
		if c := &table[i]; near != "" && c.Named(near) {
			hint = strings.TrimSuffix(hint, asMessage) + c.Ask + "\n" + asMessage
		}
	}
	return hint
}
