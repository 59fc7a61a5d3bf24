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

// newViews returns the commands of the chat. Editors have their own lists of conversations.
func (c *chat) newViews() printed.Views {
	return printed.Views{
		Session: c.Session, Print: c.print, Used: c.used, Intro: "Notes that you mention go with a message. Commands:", Offline: keyless, Retry: c.retry,
		Table:   session.Commands(),
		Actions: &session.Actions{Goal: c, Conversation: c.Conversations, Servers: c.Servers(), Skills: c.Trust},
		Without: []string{"conversations", "branches"}, Width: func() int { return changeWidth },
		Event: func(e event.Event) {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.handleEvent(e)
		},
		Send: c.sendInstead,
	}
}

// offerCommands sends the editor the available commands. c.mu must be held.
func (c *chat) offerCommands(own []session.Command) {
	list := []protocol.AvailableCommand{}
	for _, command := range slices.Concat(c.views.Commands(), own) {
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

// typed runs a text that is a command, or explains a mistyped one. ok is false for a message. waits reports whether
// something was started.
func (c *chat) typed(ctx context.Context, p *prompt, m event.Inbound) (waits, ok bool, err error) {
	c.mu.Lock()
	state := c.state
	c.mu.Unlock()
	state.Goal = c.Goal()
	r, _, ok := c.views.Typed(ctx, m.Text, &state)
	if !ok {
		return false, false, nil
	}
	p.attach = m.Attach
	last, err := c.views.Reply(ctx, r)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.optionsChanged()
	return last.Send != nil || p.id != "" || r.Act != nil && last.Err == nil && c.Busy(), true, err
}

// sendInstead sends a message in place of the typed one, with its attachments.
func (c *chat) sendInstead(ctx context.Context, m event.Inbound) error {
	m.Attach = c.prompt.attach
	return c.submit(ctx, c.prompt, m)
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
	rows := text.Of(b.Rows, func(row string) string { return "- " + row })
	if b.Whole != "" {
		b.Whole = fenced(b.Whole)
	}
	return text.Join("\n\n", b.Head, strings.Join(rows, "\n"), b.Whole, b.Foot)
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
