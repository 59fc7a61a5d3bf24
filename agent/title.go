package agent

import (
	"context"
	"errors"
	"io/fs"
	"time"

	"chatvault/agent/event"
	"chatvault/agent/llm"
	"chatvault/agent/memory"
	"chatvault/conversation"
)

const (
	promptTitle = "title"
	titleInput  = 6000 // tokens of a conversation that are looked at for its title

	titleWords = "Write the title and the summary of this conversation."
)

// errNoTitle says that no title can be read from what the model answered.
var errNoTitle = errors.New("the answer has no title")

// title has the model give an ended conversation a title and a summary. One that has a title
// already, of the user's or by another process, keeps it.
func (p *Processor) title(ctx context.Context, id string) error {
	p.tasks.Try(id)
	c, err := p.untitled(id)
	if c == nil || err != nil {
		return err
	}
	system, err := p.backgroundPrompt(ctx, promptTitle, nil)
	if err != nil {
		return err
	}
	resp, err := p.aside(ctx, llm.PurposeTitle, c, system, titleWords, titleInput, func(event.Event) {})
	if err != nil {
		return err
	}
	title, summary := memory.ParseTitle(resp.Text)
	if title == "" {
		return errNoTitle
	}
	if c, err = p.untitled(id); c == nil || err != nil {
		return err
	}
	if err := p.opt.Conversations.SetTitle(id, title, summary); err != nil {
		return err
	}
	p.step("titled")
	p.bus.Publish(event.ConversationTitled{Meta: event.Meta{Time: time.Now()}, ID: id, Title: title, Summary: summary})
	return nil
}

// untitled is a conversation that has ended, holds something and has no title; nil: it is no
// such conversation any more.
func (p *Processor) untitled(id string) (*conversation.Conversation, error) {
	c, err := p.opt.Conversations.Get(id)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil || c.Ended.IsZero() || c.Title != "" {
		return nil, err
	}
	if branches := c.Branches(); len(c.Turns) == 0 && len(branches) > 0 { // the user went back, and said no more
		c.Turns = branches[0].Turns
	}
	if len(c.Turns) == 0 {
		return nil, nil
	}
	return c, nil
}

// nameOf is what a conversation is called: by its title, else by its first words.
func nameOf(c *conversation.Conversation) string { return c.Entry().Name() }
