package agent

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"time"

	"chatvault/agent/event"
	"chatvault/agent/llm"
	"chatvault/agent/memory"
	"chatvault/conversation"
)

const (
	promptRetrospection = "retrospection"
	retrospectionInput  = 24_000 // tokens of a conversation that are looked at
)

// Retrospect reviews the active conversation in the background, or the last one if none is active, regardless of the
// configuration. The result is a Retrospected or a Notice event.
func (b *background) Retrospect() error {
	if b.ctx.Err() != nil {
		return errShutdown
	}
	c, err := b.activeOrLast()
	if err != nil {
		return err
	}
	if len(c.Turns) == 0 {
		return errors.New("this conversation is empty")
	}
	b.queueTask(task{name: taskReview, conversation: c.ID, asked: true, do: b.review})
	return nil
}

// activeOrLast returns the conversation in which something was said last.
func (b *background) activeOrLast() (*conversation.Conversation, error) {
	c, err := b.opt.Conversations.Active()
	if err != nil || c != nil && len(c.Turns) > 0 {
		return c, err
	}
	list, err := b.opt.Conversations.Recent(0)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(list, func(e conversation.Entry) bool { return e.Turns > 0 })
	if i < 0 {
		return nil, errors.New("there is no conversation to look back at yet")
	}
	return b.opt.Conversations.Get(list[i].ID)
}

// review reviews a conversation and publishes that it does.
func (b *background) review(ctx context.Context, t task) error {
	b.bus.Publish(event.RetrospectionStarted{Meta: event.Meta{Time: time.Now()}})
	err := b.writeReview(ctx, t)
	stopped := err != nil && errors.Is(context.Cause(ctx), errStopped)
	b.bus.Publish(event.RetrospectionEnded{Meta: event.Meta{Time: time.Now()}, Stopped: stopped})
	if stopped {
		return nil
	}
	return err
}

// writeReview makes a review, publishes its text as it streams, and writes it to the file.
func (b *background) writeReview(ctx context.Context, t task) error {
	conv, err := b.opt.Conversations.Get(t.conversation)
	if errors.Is(err, fs.ErrNotExist) && !t.asked {
		return nil // removed since
	}
	if err != nil {
		return err
	}
	r := memory.Retrospection{Conversation: conv.ID, Name: conv.Entry().Name()}
	resp, err := b.aside(ctx, llm.PurposeRetrospection, conv, promptRetrospection, b.opt.RetrospectionPrompt, retrospectionInput, func(e event.Event) {
		switch e := e.(type) {
		case event.TextDelta:
			r.Text += e.Text
			b.bus.Publish(event.RetrospectionDelta{Meta: event.Meta{Time: time.Now()}, ConversationID: r.Conversation, ConversationTitle: r.Name, Text: e.Text})
		case event.Retry:
			b.publishReview(&r, "the model call failed and is retried")
		}
	})
	if err != nil {
		b.publishReview(&r, llm.Words(err))
		return err
	}
	why := ""
	if resp.Finish == llm.FinishLength {
		why = "the model's token limit was reached"
	} else if endings[resp.Finish].broken {
		why = "the provider ended the answer early"
	}
	if now, err := b.opt.Conversations.Get(t.conversation); err == nil {
		r.Name = now.Entry().Name() // it may have got a title
	}
	r.Text, r.Cut, r.Time = strings.TrimSpace(resp.Text), why, time.Now()
	err = memory.Prepend(b.opt.Root, b.opt.Vault, r)
	b.step("retrospected")
	b.publishReview(&r, why)
	return err
}

// publishReview publishes the text of a review so far and resets it. cut is why it is incomplete, for the user; empty if
// it is complete.
func (b *background) publishReview(r *memory.Retrospection, cut string) {
	if r.Text != "" {
		b.bus.Publish(event.Retrospected{
			Meta: event.Meta{Time: time.Now()}, ConversationID: r.Conversation, ConversationTitle: r.Name,
			Content: strings.TrimSpace(r.Text), Cut: cut,
		})
	}
	r.Text = ""
}
