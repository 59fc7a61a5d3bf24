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
	"chatvault/agent/lock"
	"chatvault/agent/memory"
	"chatvault/agent/pending"
	"chatvault/conversation"
)

const (
	promptRetrospection = "retrospection"
	retrospectionInput  = 24_000 // tokens of a conversation that are looked at
	maxOwed             = 20     // conversations that wait for a review, over restarts
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
	b.reviewStarted(c.ID)
	b.tasks.Later(memory.Task{Name: taskReview, Conversation: c.ID, Asked: true, Beside: true, Do: b.review})
	return nil
}

// reviewStarted publishes that a review runs or will run next.
func (b *background) reviewStarted(id string) {
	b.bus.Publish(event.RetrospectionStarted{Meta: event.Meta{Time: time.Now()}, ConversationID: id})
}

func (b *background) reviewEnded(id string, stopped bool) {
	b.bus.Publish(event.RetrospectionEnded{Meta: event.Meta{Time: time.Now()}, ConversationID: id, Stopped: stopped})
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

// oweReview records that a conversation is to be reviewed, by the next process if this one ends first.
func (b *background) oweReview(id string) {
	b.note("retrospection owed", id, func(n *pending.Notes) {
		if slices.ContainsFunc(n.Owed, func(o pending.Review) bool { return o.Conversation == id }) {
			return
		}
		n.Owed = append(n.Owed, pending.Review{Conversation: id, Owner: b.owner})
		n.Owed = n.Owed[max(0, len(n.Owed)-maxOwed):]
	})
}

// takeOwedReviews queues the reviews that ended processes owed, or drops them if reviews are off.
func (b *background) takeOwedReviews() error {
	if !slices.ContainsFunc(b.loadNotes().Owed, b.orphaned) {
		return nil
	}
	var taken []string
	err := pending.Change(b.opt.Root, func(n *pending.Notes) {
		n.Owed = slices.DeleteFunc(n.Owed, func(o pending.Review) bool { return !b.opt.Retrospection && b.orphaned(o) })
		for i, o := range n.Owed {
			if b.orphaned(o) {
				n.Owed[i].Owner = b.owner
				taken = append(taken, o.Conversation)
			}
		}
	})
	for _, id := range taken {
		if err == nil {
			b.later(taskReview, id, b.review)
		}
	}
	return err
}

// orphaned reports whether the process that was to make the review has ended.
func (b *background) orphaned(o pending.Review) bool {
	return o.Owner != b.owner && !lock.Alive(b.opt.Root, o.Owner)
}

// review reviews a conversation and publishes that it does. A failed review is not repeated, unless it was interrupted or
// the earlier reviews cannot be read, in which case the model was not called.
func (b *background) review(ctx context.Context, t memory.Task) error {
	if b.leavesToChat() {
		return nil
	}
	b.reviewStarted(t.Conversation)
	err := b.writeReview(ctx, t)
	stopped := err != nil && errors.Is(context.Cause(ctx), errStopped)
	b.reviewEnded(t.Conversation, stopped)
	kept, _ := errors.AsType[memory.NotKept](err)
	if err != nil && !stopped && (ctx.Err() != nil || kept.Unreadable) {
		return err
	}
	mine := func(o pending.Review) bool { return o.Conversation == t.Conversation }
	if slices.ContainsFunc(b.loadNotes().Owed, mine) {
		b.note("retrospection done", t.Conversation, func(n *pending.Notes) { n.Owed = slices.DeleteFunc(n.Owed, mine) })
	}
	if stopped {
		return nil
	}
	return err
}

// writeReview makes a review, publishes its text as it streams, and writes it to the file.
func (b *background) writeReview(ctx context.Context, t memory.Task) error {
	conv, err := b.opt.Conversations.Get(t.Conversation)
	if errors.Is(err, fs.ErrNotExist) && !t.Asked {
		return nil // removed since
	}
	if err != nil {
		return err
	}
	if !t.Asked {
		if done, err := memory.Retrospected(b.opt.Vault, conv.ID); done || err != nil {
			return err // the process that did it ended before it took note
		}
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
		b.publishReview(&r, whyCut(ctx, err))
		return err
	}
	why := ""
	if resp.Finish == llm.FinishLength {
		why = "the model's token limit was reached"
	} else if endings[resp.Finish].broken {
		why = "the provider ended the answer early"
	}
	if now, err := b.opt.Conversations.Get(t.Conversation); err == nil {
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

// whyCut returns why a review ended early, for the user.
func whyCut(ctx context.Context, err error) string {
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, errStopped):
		return "it was stopped"
	case errors.Is(cause, errShutdown):
		return "the program ended"
	case ctx.Err() != nil:
		return "it took too long"
	}
	return llm.Words(err)
}
