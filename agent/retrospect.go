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
	maxOwed             = 20     // conversations that wait to be looked back at, over restarts
)

// Retrospect reviews the active conversation in the background, or the last one if none is active, regardless of the
// configuration. The result is a Retrospected or a Notice event.
func (b *background) Retrospect() error {
	if b.isClosed() {
		return errors.New("the program is ending")
	}
	c, err := b.activeOrLast()
	if err != nil {
		return err
	}
	if len(c.Turns) == 0 {
		return errors.New("this conversation is empty")
	}
	t := memory.Task{Kind: memory.Retrospect, Conversation: c.ID, Asked: true}
	b.retrospectStarted(t)
	b.tasks.Later(t)
	return nil
}

// retrospectStarted publishes that a review runs or will run next.
func (b *background) retrospectStarted(t memory.Task) {
	b.bus.Publish(event.RetrospectionStarted{Meta: event.Meta{Time: time.Now()}, ConversationID: t.Conversation})
}

func (b *background) retrospectEnded(t memory.Task, stopped bool) {
	b.bus.Publish(event.RetrospectionEnded{Meta: event.Meta{Time: time.Now()}, ConversationID: t.Conversation, Stopped: stopped})
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

// oweRetrospection records that a conversation is to be reviewed, by the next process if this one ends first.
func (b *background) oweRetrospection(id string) {
	b.note("retrospection owed", id, func(n *pending.Notes) {
		if slices.ContainsFunc(n.Owed, func(o pending.Review) bool { return o.Conversation == id }) {
			return
		}
		n.Owed = append(n.Owed, pending.Review{Conversation: id, Owner: b.owner})
		n.Owed = n.Owed[max(0, len(n.Owed)-maxOwed):]
	})
}

// doOwedRetrospections takes up those that processes owed which are gone. Where they are wanted
// no more they are forgotten.
func (b *background) doOwedRetrospections() error {
	if !slices.ContainsFunc(b.loadNotes().Owed, b.orphaned) {
		return nil
	}
	var taken []string
	err := pending.Change(b.opt.Root, func(n *pending.Notes) {
		taken = nil
		n.Owed = slices.DeleteFunc(n.Owed, func(o pending.Review) bool { return !b.opt.Retrospection && b.orphaned(o) })
		for i, o := range n.Owed {
			if b.orphaned(o) {
				n.Owed[i].Owner = b.owner
				taken = append(taken, o.Conversation)
			}
		}
	})
	if err != nil {
		return err
	}
	for _, id := range taken {
		b.tasks.Later(memory.Task{Kind: memory.Retrospect, Conversation: id})
	}
	return nil
}

// orphaned reports whether the process that was to make the review has ended.
func (b *background) orphaned(o pending.Review) bool {
	return o.Owner != b.owner && !lock.Alive(b.opt.Root, o.Owner)
}

// retrospect reviews a conversation. A failed review is not repeated, unless it was interrupted or the earlier
// reviews cannot be read, in which case the model was not called.
func (b *background) retrospect(ctx context.Context, c memory.Task) error {
	b.retrospectStarted(c)
	err := b.retrospectOn(ctx, c)
	stopped := err != nil && errors.Is(context.Cause(ctx), errStopped)
	b.retrospectEnded(c, stopped)
	kept, _ := errors.AsType[memory.NotKept](err)
	if err != nil && !stopped && (ctx.Err() != nil || kept.Unreadable) {
		return err
	}
	b.retrospectDone(c.Conversation)
	if stopped {
		return nil
	}
	return err
}

// retrospectDone takes note that a conversation is no longer to be looked back at.
func (b *background) retrospectDone(id string) {
	mine := func(o pending.Review) bool { return o.Conversation == id }
	if !slices.ContainsFunc(b.loadNotes().Owed, mine) {
		return
	}
	b.note("retrospection done", id, func(n *pending.Notes) { n.Owed = slices.DeleteFunc(n.Owed, mine) })
}

func (b *background) retrospectOn(ctx context.Context, c memory.Task) error {
	conv, err := b.opt.Conversations.Get(c.Conversation)
	if errors.Is(err, fs.ErrNotExist) && !c.Asked {
		return nil // removed since
	}
	if err != nil {
		return err
	}
	if !c.Asked {
		if done, err := memory.Retrospected(b.opt.Vault, conv.ID); done || err != nil {
			return err // the process that did it ended before it took note
		}
	}
	system, err := b.prompt(ctx, event.Meta{Time: time.Now()}, "", promptRetrospection, nil)
	if err != nil {
		return err
	}
	told := reviewStream{publish: b.bus.Publish, conversation: conv.ID, title: conv.Entry().Name()}
	resp, err := b.aside(ctx, llm.PurposeRetrospection, conv, system, b.opt.RetrospectionPrompt, retrospectionInput, told.hear)
	if err != nil {
		told.cut(whyCut(ctx, err))
		return err
	}
	text, cut := strings.TrimSpace(resp.Text), ""
	if resp.Finish == llm.FinishLength {
		cut = "the model's token limit was reached"
	} else if _, ok := broken[resp.Finish]; ok {
		cut = "the provider ended the answer early"
	}
	if now, err := b.opt.Conversations.Get(c.Conversation); err == nil {
		conv = now // it may have got a title
	}
	name := conv.Entry().Name()
	err = memory.Prepend(b.opt.Root, b.opt.Vault, memory.Retrospection{Conversation: conv.ID, Name: name, Text: text, Cut: cut, Time: time.Now()})
	b.step("retrospected")
	b.bus.Publish(event.Retrospected{Meta: event.Meta{Time: time.Now()}, ConversationID: conv.ID, ConversationTitle: name, Content: text, Cut: cut})
	if err != nil {
		return memory.NotWritten(err)
	}
	return nil
}

// stopRetrospection ends the review that is being written and drops those that the user asked for.
func (b *background) stopRetrospection() {
	for _, t := range b.tasks.Stop(memory.Retrospect, errStopped) {
		b.retrospectEnded(t, true)
	}
}

// notifyOnce notifies the user of a recurring failure, once.
func (b *background) notifyOnce(k memory.Kind, text string) {
	switch _, known := b.notified.LoadOrStore(k, true); {
	case known:
	case b.bus.Heard():
		b.Tell(text)
	default: // no subscriber yet
		b.reportLater(text)
	}
}

// reviewStream publishes the text of a review as it streams.
type reviewStream struct {
	publish             func(event.Event)
	conversation, title string
	said                string // so far
}

func (t *reviewStream) hear(e event.Event) {
	switch e := e.(type) {
	case event.TextDelta:
		t.said += e.Text
		t.publish(event.RetrospectionDelta{Meta: event.Meta{Time: time.Now()}, ConversationID: t.conversation, ConversationTitle: t.title, Text: e.Text})
	case event.Retry:
		t.cut("the model call failed and is retried")
	}
}

// cut publishes that a partial review ends here.
func (t *reviewStream) cut(why string) {
	if t.said != "" {
		t.publish(event.Retrospected{
			Meta: event.Meta{Time: time.Now()}, ConversationID: t.conversation, ConversationTitle: t.title,
			Content: strings.TrimSpace(t.said), Cut: why,
		})
	}
	t.said = ""
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
