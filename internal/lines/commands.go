package lines

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"chatvault/agent/event"
	"chatvault/internal/session"
	"chatvault/internal/text"
)

// lineHelp is what /help says before the commands.
const lineHelp = `Type a message and press Enter. What you send while a turn runs is queued, or taken into it.
A file or folder that you name with @, as @Plums.md or @"Plum jam.md", goes with the message.
Several lines: end a line with a backslash to go on in the next, or type """ alone in a line, then the text, then """ alone again. Put a text that you paste between two such lines.
A question with numbered options is answered with a number, or in your own words.
Ctrl+C stops the running turn; twice leaves. Ctrl+D leaves. A message that was not finished is kept and offered at the next start.
Commands:`

// lineView writes what a command names, or does it; words may follow.
type lineView func(l *lines, ctx context.Context, words string)

// lineViews are all of them.
func lineViews() map[session.View]lineView {
	return map[session.View]lineView{
		session.ViewHelp: (*lines).help,
		session.ViewStop: (*lines).stopCommand,
		session.ViewEdit: (*lines).editCommand,
		session.ViewBranches: listed(func(l *lines, ctx context.Context) (*session.List, error) {
			return session.ListBranches(ctx, l.o.Conversations)
		}),
		session.ViewRetry: func(l *lines, ctx context.Context, _ string) { l.decide(ctx, false) },
		session.ViewDrop:  func(l *lines, ctx context.Context, _ string) { l.decide(ctx, true) },
		session.ViewChanges: listed(func(l *lines, ctx context.Context) (*session.List, error) {
			return session.ListChanges(ctx, l.o.Changes)
		}),
		session.ViewUndo:    (*lines).undo,
		session.ViewRedo:    func(l *lines, ctx context.Context, _ string) { l.takeBack(ctx, l.o.Changes.Redo, "Restored") },
		session.ViewNew:     (*lines).newConversation,
		session.ViewHistory: (*lines).historyCommand,
		session.ViewConversations: listed(func(l *lines, ctx context.Context) (*session.List, error) {
			return session.ListConversations(ctx, l.o.Conversations)
		}),
		session.ViewVaults:   (*lines).vaultCommand,
		session.ViewSettings: (*lines).settingsCommand,
		session.ViewModels:   func(l *lines, _ context.Context, name string) { l.modelCommand(name) },
		session.ViewThemes: func(l *lines, _ context.Context, _ string) {
			l.print.say("There are no colours here. /settings theme NAME sets those of the screen.")
		},
		session.ViewInbox:    func(l *lines, ctx context.Context, _ string) { l.inboxCommand(ctx) },
		session.ViewDraft:    (*lines).draftCommand,
		session.ViewProposal: func(l *lines, _ context.Context, _ string) { l.acceptProposal(l.o.Settings) },
		session.ViewTrust:    (*lines).trustCommand,
		session.ViewCopy:     func(l *lines, ctx context.Context, words string) { l.copyFrom(ctx, l.o.Conversations, words) },
		session.ViewUsage:    func(l *lines, _ context.Context, _ string) { l.usage() },
		session.ViewQuit:     func(l *lines, _ context.Context, _ string) { l.left = true },
	}
}

// actions are what commands act through.
func (l *lines) actions() *session.Actions {
	return &session.Actions{Goal: l.o.Session, Approval: l.o.Session, Conversation: l.o.Conversations, Routing: l.o.Routing, Servers: l.o.Servers(), Models: l.o.Models, Skills: l.o.Trust}
}

// commands are those there are, without the vault's own.
func (l *lines) commands() []session.Command {
	views := lineViews()
	return session.PrintedCommands(l.o.Commands, l.actions(), func(v session.View) bool { return views[v] != nil })
}

// typedCommand runs a text that is a command, or says why it is none; false where it is a message.
func (l *lines) typedCommand(ctx context.Context, typed string) bool {
	name, _, ok := session.CutCommand(typed)
	if !ok {
		return false
	}
	commands := l.commands()
	if !slices.ContainsFunc(commands, func(c session.Command) bool { return c.Named(name) }) {
		own := l.custom(ctx)
		if fault := own.FaultOf; fault != nil && fault(name) != "" {
			l.print.say(fault(name))
			return true
		}
		commands = append(commands, own.Commands...)
	}
	t := session.ParseTyped(typed, commands)
	if t.Hint != "" {
		l.print.say(t.Hint)
		return true
	}
	r := t.Command.Do(session.Call{Words: t.Words, State: &l.state, Do: l.actions()})
	if t.Command.Expand != nil && r.Send != nil {
		l.print.say("You send: " + r.Send.Text)
	}
	l.reply(ctx, r)
	return true
}

// reply acts on what a command came to.
func (l *lines) reply(ctx context.Context, r session.Reply) {
	if r.Told != nil {
		l.event(r.Told)
	}
	if r.Err != nil {
		l.print.say(r.Err.Error())
	}
	for _, text := range []string{r.Say, r.Hint} {
		if text != "" {
			l.print.say(text)
		}
	}
	if show := lineViews()[r.View]; show != nil {
		show(l, ctx, r.Words)
	}
	if r.Send != nil {
		l.send(ctx, *r.Send)
	}
	if r.Act != nil {
		l.reply(ctx, r.Act(ctx))
	}
}

// custom are the vault's own commands as they are now.
func (l *lines) custom(ctx context.Context) session.Custom {
	custom, err := l.o.Custom(ctx)
	if err != nil {
		custom.Faults = append(custom.Faults, "The vault's own commands could not be read: "+err.Error())
	}
	return custom
}

func (l *lines) help(ctx context.Context, _ string) {
	out := append([]string{lineHelp}, session.CommandHelp(l.commands())...)
	own := l.custom(ctx)
	if len(own.Commands) > 0 {
		out = append(append(out, "Commands of this vault:"), session.CommandHelp(own.Commands)...)
	}
	l.print.say(strings.Join(append(out, own.Faults...), "\n"))
}

func (l *lines) stopCommand(context.Context, string) {
	if l.state.Turn.Running || len(l.state.Pending) > 0 {
		l.stop()
	} else {
		l.print.say("Nothing is running.")
	}
}

func (l *lines) newConversation(ctx context.Context, _ string) {
	l.state.Moved(nil)
	l.tell("A new conversation begins with your next message.", l.o.Conversations.New(ctx))
}

// turnRuns says so, and that a command has to wait for it.
func (l *lines) turnRuns() bool {
	if l.idle() {
		return false
	}
	l.print.say("A turn is running: /stop stops it.")
	return true
}

// which is the place of one of n things, from 0, that a command named by its number, from 1.
func (l *lines) which(command, number string, n int) (int, bool) {
	at, err := strconv.Atoi(number)
	if err != nil || at < 1 || at > n {
		l.print.say(fmt.Sprintf("Say which: %s and a number from 1 to %d", command, n))
		return 0, false
	}
	return at - 1, true
}

// tell says how a command went.
func (l *lines) tell(said string, err error) {
	switch {
	case err != nil:
		l.print.say("Error: " + err.Error())
	case said != "":
		l.print.say(said)
	}
}

func (l *lines) historyCommand(ctx context.Context, words string) {
	turns := 10
	if words != "" {
		n, err := strconv.Atoi(words)
		if err != nil || n < 1 {
			l.print.say("Say how many turns: /history 5")
			return
		}
		turns = n
	}
	items, err := l.o.Conversations.History(ctx)
	if err == nil && len(items) == 0 {
		l.print.say("This conversation is empty.")
	}
	l.history(items, turns)
	l.tell("", err)
}

// offer names the messages that were not finished.
func (l *lines) offer() {
	for i, u := range l.offers {
		text := fmt.Sprintf("Not finished: “%s” (%s)", text.FirstLine(u.Message.Text), u.Stands())
		if len(u.Changes) > 0 {
			text += "\nIt had changed notes already: " + strings.Join(u.Changes, ", ")
		}
		if i == len(l.offers)-1 {
			text += "\n/retry sends the first of these again, /drop removes it."
		}
		l.print.say(text)
	}
}

// decide retries or drops the first message that was not finished.
func (l *lines) decide(ctx context.Context, drop bool) {
	if len(l.offers) == 0 {
		l.print.say("There are no unfinished messages.")
		return
	}
	u := l.offers[0]
	if u.Where != "" && !drop {
		page, err := l.o.Inbox.Open(ctx, u.Message.ID)
		if err != nil {
			l.tell("", err)
			return
		}
		l.print.say("Its conversation continues here. It ended with:")
		l.state.Moved(page.Items)
		l.history(page.Items, 1)
	}
	do := l.o.Inbox.Retry
	if drop {
		do = l.o.Inbox.Drop
	}
	if err := do(ctx, u.Message.ID); err != nil {
		l.tell("", err)
		return
	}
	l.offers = l.offers[1:]
	if drop {
		l.print.say("Removed: " + text.FirstLine(u.Message.Text))
		return
	}
	l.state.Submitted(u.Message)
	l.print.say("Sent again: " + text.FirstLine(u.Message.Text))
}

func (l *lines) undo(ctx context.Context, id string) {
	l.takeBack(ctx, func(ctx context.Context) (session.Undone, error) { return l.o.Changes.Undo(ctx, id) }, "Undid")
}

// takeBack takes changes back, or restores them.
func (l *lines) takeBack(ctx context.Context, do func(context.Context) (session.Undone, error), did string) {
	if l.turnRuns() {
		return
	}
	u, err := do(ctx)
	l.undone(u, did)
	l.tell("", err)
}

// undone says what became of changes.
func (l *lines) undone(u session.Undone, did string) {
	if u.Restored {
		did = "Restored"
	}
	if len(u.Lines) > 0 {
		l.print.say(did + " “" + u.Title + "”:\n" + strings.Join(u.Lines, "\n"))
	}
	if len(u.Left) > 0 {
		l.print.say("Unchanged:\n" + strings.Join(u.Left, "\n"))
	}
}

func (l *lines) draftCommand(ctx context.Context, words string) {
	switch text := l.draft; {
	case text == "":
		l.print.say("There is no draft.")
	case words == "drop":
		l.draft = ""
		l.print.say("The draft is deleted.")
	default:
		l.draft = ""
		l.send(ctx, event.Inbound{Text: text})
		l.o.Drafts.Save(l.draft)
	}
}

func (l *lines) usage() {
	conversation, day, err := l.o.Usage()
	if err != nil {
		l.tell("", err)
		return
	}
	l.print.say(session.UsageLine("This conversation", conversation))
	l.print.say(session.UsageLine("Today", day))
	used := l.state.Usage
	if used.Window == 0 {
		used.Context, used.Window = l.o.Context()
	}
	for _, line := range used.Lines() {
		l.print.say(line)
	}
}
