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
func (p *Processor) Retrospect() error {
	if p.isClosed() {
		return errors.New("the program is ending")
	}
	c, err := p.activeOrLast()
	if err != nil {
		return err
	}
	if len(c.Turns) == 0 {
		return errors.New("this conversation is empty")
	}
	t := memory.Task{Kind: memory.Retrospect, Conversation: c.ID, Asked: true}
	p.retrospectStarted(t)
	p.tasks.Later(t)
	return nil
}

// retrospectStarted publishes that a review runs or will run next.
func (p *Processor) retrospectStarted(t memory.Task) {
	p.bus.Publish(event.RetrospectionStarted{Meta: event.Meta{Time: time.Now()}, ConversationID: t.Conversation})
}

func (p *Processor) retrospectEnded(t memory.Task, stopped bool) {
	p.bus.Publish(event.RetrospectionEnded{Meta: event.Meta{Time: time.Now()}, ConversationID: t.Conversation, Stopped: stopped})
}

// activeOrLast returns the conversation in which something was said last.
func (p *Processor) activeOrLast() (*conversation.Conversation, error) {
	c, err := p.opt.Conversations.Active()
	if err != nil || c != nil && len(c.Turns) > 0 {
		return c, err
	}
	list, err := p.opt.Conversations.Recent(0)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(list, func(e conversation.Entry) bool { return e.Turns > 0 })
	if i < 0 {
		return nil, errors.New("there is no conversation to look back at yet")
	}
	return p.opt.Conversations.Get(list[i].ID)
}

// queueRetrospection schedules a review of an ended conversation if reviews are enabled.
func (p *Processor) queueRetrospection(c *conversation.Conversation) {
	if p.opt.Retrospection && c.LastDone() != nil {
		p.oweRetrospection(c.ID)
		p.tasks.Later(memory.Task{Kind: memory.Retrospect, Conversation: c.ID})
	}
}

// oweRetrospection records that a conversation is to be reviewed, by the next process if this one ends first.
func (p *Processor) oweRetrospection(id string) {
	p.note("retrospection owed", id, func(n *pending.Notes) {
		if slices.ContainsFunc(n.Owed, func(o pending.Review) bool { return o.Conversation == id }) {
			return
		}
		n.Owed = append(n.Owed, pending.Review{Conversation: id, Owner: p.owner.Name})
		n.Owed = n.Owed[max(0, len(n.Owed)-maxOwed):]
	})
}

// doOwedRetrospections takes up those that processes owed which are gone. Where they are wanted
// no more they are forgotten.
func (p *Processor) doOwedRetrospections() error {
	if !slices.ContainsFunc(p.loadNotes().Owed, p.orphaned) {
		return nil
	}
	var taken []string
	err := pending.Change(p.opt.Root, func(n *pending.Notes) {
		taken = nil
		n.Owed = slices.DeleteFunc(n.Owed, func(o pending.Review) bool { return !p.opt.Retrospection && p.orphaned(o) })
		for i, o := range n.Owed {
			if p.orphaned(o) {
				n.Owed[i].Owner = p.owner.Name
				taken = append(taken, o.Conversation)
			}
		}
	})
	if err != nil {
		return err
	}
	for _, id := range taken {
		p.tasks.Later(memory.Task{Kind: memory.Retrospect, Conversation: id})
	}
	return nil
}

// orphaned reports whether the process that was to make the review has ended.
func (p *Processor) orphaned(o pending.Review) bool {
	return o.Owner != p.owner.Name && !lock.Alive(p.opt.Root, o.Owner)
}

// retrospect reviews a conversation. A failed review is not repeated, unless it was interrupted or the earlier
// reviews cannot be read, in which case the model was not called.
func (p *Processor) retrospect(ctx context.Context, c memory.Task) error {
	p.retrospectStarted(c)
	err := p.retrospectOn(ctx, c)
	stopped := err != nil && errors.Is(context.Cause(ctx), errStopped)
	p.retrospectEnded(c, stopped)
	kept, _ := errors.AsType[memory.NotKept](err)
	if err != nil && !stopped && (ctx.Err() != nil || kept.Unreadable) {
		return err
	}
	p.retrospectDone(c.Conversation)
	if stopped {
		return nil
	}
	return err
}

// retrospectDone takes note that a conversation is no longer to be looked back at.
func (p *Processor) retrospectDone(id string) {
	mine := func(o pending.Review) bool { return o.Conversation == id }
	if !slices.ContainsFunc(p.loadNotes().Owed, mine) {
		return
	}
	p.note("retrospection done", id, func(n *pending.Notes) { n.Owed = slices.DeleteFunc(n.Owed, mine) })
}

func (p *Processor) retrospectOn(ctx context.Context, c memory.Task) error {
	conv, err := p.opt.Conversations.Get(c.Conversation)
	if errors.Is(err, fs.ErrNotExist) && !c.Asked {
		return nil // removed since
	}
	if err != nil {
		return err
	}
	if !c.Asked {
		if done, err := memory.Retrospected(p.opt.Vault, conv.ID); done || err != nil {
			return err // the process that did it ended before it took note
		}
	}
	system, err := p.backgroundPrompt(ctx, promptRetrospection)
	if err != nil {
		return err
	}
	told := reviewStream{publish: p.bus.Publish, conversation: conv.ID, title: conv.Entry().Name()}
	resp, err := p.aside(ctx, llm.PurposeRetrospection, conv, system, p.opt.RetrospectionPrompt, retrospectionInput, told.hear)
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
	if now, err := p.opt.Conversations.Get(c.Conversation); err == nil {
		conv = now // it may have got a title
	}
	name := conv.Entry().Name()
	err = memory.Prepend(p.opt.Root, p.opt.Vault, memory.Retrospection{Conversation: conv.ID, Name: name, Text: text, Cut: cut, Time: time.Now()})
	p.step("retrospected")
	p.bus.Publish(event.Retrospected{Meta: event.Meta{Time: time.Now()}, ConversationID: conv.ID, ConversationTitle: name, Content: text, Cut: cut})
	if err != nil {
		return memory.NotWritten(err)
	}
	return nil
}

// notifyOnce notifies the user of a recurring failure, once.
func (p *Processor) notifyOnce(k memory.Kind, text string) {
	if _, told := p.notified.LoadOrStore(k, true); told {
		return
	}
	if p.bus.Heard() {
		p.Tell(text)
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.unreported = append(p.unreported, text) // no subscriber yet: the next turn publishes it
}

// reviewStream publishes the text of a review as it streams.
type reviewStream struct {
	publish             func(event.Event)
	conversation, title string

	whole string // as the model wrote it
	said  string // of that, what was published
}

func (t *reviewStream) hear(e event.Event) {
	switch e := e.(type) {
	case event.TextDelta:
		t.whole += e.Text
		if more, ok := strings.CutPrefix(memory.Begun(t.whole), t.said); ok && more != "" {
			t.said += more
			t.publish(event.RetrospectionDelta{Meta: event.Meta{Time: time.Now()}, ConversationID: t.conversation, ConversationTitle: t.title, Text: more})
		}
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
	t.whole, t.said = "", ""
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
