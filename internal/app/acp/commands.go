package acp

import (
	"context"
	"slices"
	"strings"

	protocol "github.com/coder/acp-go-sdk"

	"chatvault/agent/event"
	"chatvault/internal/app/printed"
	"chatvault/internal/app/session"
	"chatvault/internal/base/text"
)

// actions returns what commands act through.
func (c *chat) actions() *session.Actions {
	return &session.Actions{Goal: c, Conversation: c.Conversations, Servers: c.Servers(), Skills: c.Trust}
}

// editors are views for which editors have their own.
var editors = []string{"conversations", "branches"}

// table returns the available commands, without those that the vault defines.
func (c *chat) table() []session.Command {
	return session.CommandsFor(session.Commands(), c.actions(), func(v string) bool {
		return printed.Has(v) && !slices.Contains(editors, v)
	}, true)
}

// offerCommands sends the editor the available commands. c.mu must be held.
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

// typed runs a text that is a command, or explains a mistyped one. ok is false for a message.
func (c *chat) typed(ctx context.Context, words string) (r session.Reply, ok bool) {
	c.mu.Lock()
	state := c.state
	c.mu.Unlock()
	state.Goal = c.Goal()
	r, _, ok = c.views.Typed(ctx, words, session.Call{State: &state, Do: c.actions()})
	return r, ok
}

// reply handles the reply of a command. A message sent in place of the typed one keeps its attachments.
func (c *chat) reply(ctx context.Context, p *prompt, m event.Inbound, r session.Reply) (waits bool, err error) {
	c.mu.Lock()
	if r.Told != nil {
		c.handleEvent(r.Told)
	}
	if r.Err != nil {
		c.paragraph(r.Err.Error())
	}
	c.paragraph(r.Say)
	c.paragraph(r.Hint)
	c.mu.Unlock()
	if _, isOffline := c.Provider(); isOffline && r.View == "model" && r.Words == "" {
		c.print(printed.Block{Head: keyless})
	}
	c.views.Show(ctx, r.View, r.Words)
	switch {
	case p.id != "": // a message to retry
		return true, nil
	case r.Send != nil:
		sent := *r.Send
		sent.Attach = m.Attach
		return true, c.submit(ctx, p, sent)
	case r.Act != nil:
		next := r.Act(ctx)
		if waits, err := c.reply(ctx, p, m, next); waits || err != nil {
			return waits, err
		}
		return next.Err == nil && c.Busy(), nil // what it started
	}
	return false, nil
}

// keyless explains how to replace the embedded engine by a model.
const keyless = "The embedded engine answers, which needs no key. For a model, set a key where your editor starts chatvault, such as OPENAI_API_KEY or ANTHROPIC_API_KEY, " +
	"or start a local server such as Ollama; chatvault in a terminal asks for keys with /model, and keeps them."

// print sends a block as Markdown.
func (c *chat) print(b printed.Block) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.paragraph(markdown(b))
}

// markdown returns a block as Markdown.
func markdown(b printed.Block) string {
	parts := []string{b.Head}
	if len(b.Rows) > 0 {
		parts = append(parts, "- "+strings.Join(b.Rows, "\n- "))
	}
	if b.Whole != "" {
		parts = append(parts, fenced(b.Whole))
	}
	return strings.Join(slices.DeleteFunc(append(parts, b.Foot), func(s string) bool { return s == "" }), "\n\n")
}

// used returns the session's usage as reported to this chat.
func (c *chat) used() session.Usage {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.state.Usage
}

// retry runs an unfinished message again, as the message of the current prompt.
func (c *chat) retry(ctx context.Context, u session.Unfinished) error {
	c.server.indexes(c)
	c.mu.Lock()
	defer c.mu.Unlock()
	err := c.Inbox.Retry(ctx, u.Message.ID)
	if err == nil {
		c.prompt.id = u.Message.ID
	}
	return err
}
