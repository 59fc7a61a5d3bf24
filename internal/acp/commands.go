package acp

import (
	"context"
	"fmt"
	"slices"
	"strings"

	protocol "github.com/coder/acp-go-sdk"

	"chatvault/agent/event"
	"chatvault/internal/session"
	"chatvault/internal/text"
)

// view says what a command shows, or does it, as Markdown; words may follow.
type view func(c *chat, ctx context.Context, words string) (said string, err error)

// views are all of them, but for the one that sends a message again (retry). What an editor has ways of its
// own for is not among them: its sessions, its themes, its clipboard, its way to stop.
func views() map[session.View]view {
	return map[session.View]view{
		session.ViewHelp:    (*chat).help,
		session.ViewDrop:    (*chat).drop,
		session.ViewInbox:   (*chat).inbox,
		session.ViewChanges: (*chat).changes,
		session.ViewUndo:    (*chat).undo,
		session.ViewRedo:    (*chat).redo,
		session.ViewNew:     (*chat).anew,
		session.ViewModels:  (*chat).model,
		session.ViewTrust:   (*chat).trust,
		session.ViewUsage:   (*chat).usage,
	}
}

// actions are what commands act through.
func (c *chat) actions() *session.Actions {
	return &session.Actions{Goal: c, Conversation: c.Conversations, Servers: c.Servers(), Skills: c.Trust}
}

// table are the commands there are, without the vault's own.
func (c *chat) table() []session.Command {
	shown := views()
	return session.PrintedCommands(session.Commands(), c.actions(), func(v session.View) bool {
		return shown[v] != nil || v == session.ViewRetry || v == session.ViewProposal
	})
}

// offerCommands tells the editor which commands there are, with c.mu held.
func (c *chat) offerCommands(own []session.Command) {
	list := []protocol.AvailableCommand{}
	for _, command := range slices.Concat(c.table(), own) {
		offer := protocol.AvailableCommand{Name: command.Name, Description: text.OneLine(command.Does)}
		var hints []string
		for _, f := range command.Forms() {
			if f.Args != "" {
				hints = append(hints, f.Args)
			}
		}
		if len(hints) > 0 {
			offer.Input = &protocol.AvailableCommandInput{Unstructured: &protocol.UnstructuredCommandInput{Hint: strings.Join(hints, " | ")}}
		}
		list = append(list, offer)
	}
	c.send(protocol.SessionUpdate{AvailableCommandsUpdate: &protocol.SessionAvailableCommandsUpdate{SessionUpdate: "available_commands_update", AvailableCommands: list}})
}

// typed is what a text that is a command, or was meant for one, comes to; not ok: it is a message.
func (c *chat) typed(ctx context.Context, words string) (r session.Reply, ok bool) {
	name, _, ok := session.CutCommand(words)
	if !ok {
		return r, false
	}
	commands := c.table()
	if !slices.ContainsFunc(commands, func(k session.Command) bool { return k.Named(name) }) {
		own, err := c.Custom(ctx)
		if err != nil {
			return session.Reply{Err: fmt.Errorf("the vault's own commands could not be read: %w", err)}, true
		}
		if fault := own.FaultOf; fault != nil && fault(name) != "" {
			return session.Reply{Hint: fault(name)}, true
		}
		commands = append(commands, own.Commands...)
	}
	t := session.ParseTyped(words, commands)
	if t.Hint != "" {
		return session.Reply{Hint: t.Hint}, true
	}
	c.mu.Lock()
	state := c.state
	c.mu.Unlock()
	state.Goal = c.Goal()
	return t.Command.Do(session.Call{Words: t.Words, State: &state, Do: c.actions()}), true
}

// reply acts on what a command came to. The message that was typed gives what goes with it to one that
// is sent instead.
func (c *chat) reply(ctx context.Context, p *prompt, m event.Inbound, r session.Reply) (waits bool, err error) {
	c.mu.Lock()
	if r.Told != nil {
		c.happened(r.Told)
	}
	if r.Err != nil {
		c.say(r.Err.Error())
	}
	c.say(r.Say)
	c.say(r.Hint)
	c.mu.Unlock()
	if r.View == session.ViewRetry {
		return c.retry(ctx, p)
	}
	if show := views()[r.View]; show != nil {
		said, err := show(c, ctx, r.Words)
		if err != nil {
			said = "Error: " + err.Error()
		}
		c.mu.Lock()
		c.say(said)
		c.mu.Unlock()
		return false, nil
	} else if r.View != "" {
		c.mu.Lock()
		c.say("Run chatvault in a terminal for that.")
		c.mu.Unlock()
	}
	switch {
	case r.Send != nil:
		sent := *r.Send
		sent.Attach = m.Attach
		return true, c.submit(ctx, p, sent)
	case r.Act != nil:
		next := r.Act(ctx)
		if waits, err := c.reply(ctx, p, m, next); waits || err != nil {
			return waits, err
		}
		return next.Err == nil && c.Busy(), nil // what it began
	}
	return false, nil
}

func (c *chat) help(ctx context.Context, _ string) (string, error) {
	own, err := c.Custom(ctx)
	lines := append([]string{"Notes that you mention go with a message. Commands:", ""}, listed(session.CommandHelp(c.table()))...)
	if len(own.Commands) > 0 {
		lines = append(append(lines, "", "Commands of this vault:", ""), listed(session.CommandHelp(own.Commands))...)
	}
	return strings.Join(append(lines, own.Faults...), "\n"), err
}

// listed are lines as a list.
func listed(lines []string) []string {
	var out []string
	for _, l := range lines {
		out = append(out, "- "+l)
	}
	return out
}

// own returns those of the messages that belong to the session's conversation: an editor shows no other.
func own(list []session.Unfinished) []session.Unfinished {
	return slices.DeleteFunc(list, func(u session.Unfinished) bool { return u.Where != "" })
}

// offered names messages that were not finished.
func offered(list []session.Unfinished) string {
	var lines []string
	for _, u := range list {
		line := fmt.Sprintf("Not finished: “%s” (%s)", text.FirstLine(u.Message.Text), u.Stands())
		if u.ToolsRan {
			line += "\n" + u.Did()
		}
		lines = append(lines, line)
	}
	return strings.Join(append(lines, "/retry sends the first of these again, /drop removes it."), "\n\n")
}

// first takes the first of the messages that were not finished.
func (c *chat) first() (u session.Unfinished, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.offers) == 0 {
		return u, false
	}
	u, c.offers = c.offers[0], c.offers[1:]
	return u, true
}

const nothingLeft = "There are no unfinished messages."

// retry has the first unfinished message worked on, and waited for.
func (c *chat) retry(ctx context.Context, p *prompt) (waits bool, err error) {
	u, ok := c.first()
	if ok {
		c.server.indexes(c)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !ok {
		c.say(nothingLeft)
		return false, nil
	}
	p.id = u.Message.ID
	return true, c.Inbox.Retry(ctx, p.id)
}

func (c *chat) drop(ctx context.Context, _ string) (string, error) {
	u, ok := c.first()
	if !ok {
		return nothingLeft, nil
	}
	return "Removed: " + text.FirstLine(u.Message.Text), c.Inbox.Drop(ctx, u.Message.ID)
}

func (c *chat) inbox(ctx context.Context, _ string) (string, error) {
	list, err := c.Inbox.List(ctx)
	if list = own(list); err != nil || len(list) == 0 {
		return nothingLeft, err
	}
	c.mu.Lock()
	c.offers = list
	c.mu.Unlock()
	return offered(list), nil
}

// maxChangesShown is how many turns /changes lists.
const maxChangesShown = 10

func (c *chat) changes(ctx context.Context, _ string) (string, error) {
	list, err := session.ListChanges(ctx, c.Changes)
	if err != nil || len(list.Items) == 0 {
		return "No changes yet.", err
	}
	var lines []string
	for _, it := range list.Items[:min(len(list.Items), maxChangesShown)] {
		lines = append(lines, it.Line()+" (`/undo "+it.ID+"`)")
	}
	return strings.Join(listed(lines), "\n"), nil
}

func (c *chat) undo(ctx context.Context, id string) (string, error) {
	u, err := c.Changes.Undo(ctx, id)
	return takenBack("Undid", u), err
}

func (c *chat) redo(ctx context.Context, _ string) (string, error) {
	u, err := c.Changes.Redo(ctx)
	return takenBack("Restored", u), err
}

func takenBack(did string, u session.Undone) string {
	if u.Restored {
		did = "Restored"
	}
	var lines []string
	if len(u.Lines) > 0 {
		lines = append([]string{did + " “" + u.Title + "”:", ""}, listed(u.Lines)...)
	}
	if len(u.Left) > 0 {
		lines = append(append(lines, "", "Unchanged:", ""), listed(u.Left)...)
	}
	return strings.Join(lines, "\n")
}

func (c *chat) anew(ctx context.Context, _ string) (string, error) {
	return "A new conversation begins with your next message.", c.Conversations.New(ctx)
}

func (c *chat) usage(context.Context, string) (string, error) {
	conversation, day, err := c.Usage()
	return session.UsageLine("This conversation", conversation) + "\n\n" + session.UsageLine("Today", day), err
}

// model names the models there are, or takes another one; with none that is reached over the network it
// says how to get one.
func (c *chat) model(ctx context.Context, name string) (string, error) {
	if name != "" {
		return c.use(ctx, name)
	}
	now, isOffline := c.Provider()
	lines := []string{"The model is " + now + "."}
	if isOffline {
		lines = append(lines, "", "That is the embedded engine, which needs no key. For a model, set a key where your editor starts chatvault, such as OPENAI_API_KEY or ANTHROPIC_API_KEY, "+
			"or start a local server such as Ollama; chatvault in a terminal asks for keys with /model, and keeps them.")
	}
	var names []string
	for _, s := range c.Models.Sources() {
		choices := s.Choices
		if s.Asks && !s.Lacks {
			if more, err := c.Models.List(ctx, s.ID); err == nil {
				choices = more
			}
		}
		for _, m := range choices {
			if !slices.Contains(names, m.Name) {
				names = append(names, m.Name)
			}
		}
	}
	if len(names) > 0 {
		lines = append(append(lines, "", "/model NAME uses another:", ""), listed(names)...)
	}
	return strings.Join(lines, "\n"), nil
}

func (c *chat) use(ctx context.Context, name string) (string, error) {
	c.mu.Lock()
	sure := c.unlist == name
	c.unlist = ""
	c.mu.Unlock()
	if !sure {
		if said := c.Models.Unlisted(ctx, name); said != "" {
			c.mu.Lock()
			c.unlist = name
			c.mu.Unlock()
			return said + " To use it anyway, send /model " + name + " again.", nil
		}
	}
	used, err := c.Models.Use(name)
	if err != nil {
		return "", err
	}
	return strings.TrimSpace("Continuing with " + used.Name + ". " + used.Said), nil
}

// trust shows what the vault brings that would steer the agent, and takes the answer once it was shown.
func (c *chat) trust(ctx context.Context, words string) (string, error) {
	c.mu.Lock()
	shown := c.shown
	c.shown = false
	c.mu.Unlock()
	switch {
	case (words == "agree" || words == "refuse") && shown:
		return c.Trust.Answer(words == "agree")
	case words != "":
		return "/trust shows what this vault brings; then /trust agree and /trust refuse answer.", nil
	}
	what, whole, err := c.Trust.Look(ctx)
	if err != nil || whole == "" {
		return "This vault brings nothing that you have not agreed to.", err
	}
	c.mu.Lock()
	c.shown = true
	c.mu.Unlock()
	return "This vault brings " + what + ", which is not used until you agree:\n\n" + fenced(whole) +
		"\n\nSend /trust agree to let it steer the agent, or /trust refuse.", nil
}
