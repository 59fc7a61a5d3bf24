package agent

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"time"

	"chatvault/agent/carryover"
	"chatvault/agent/event"
	"chatvault/agent/llm"
	"chatvault/agent/lock"
	"chatvault/agent/memory"
	"chatvault/conversation"
)

const (
	promptRetrospection = "retrospection"
	retrospectionInput  = 24_000 // tokens of a conversation that are looked at
	maxOwed             = 20     // conversations that wait to be looked back at, over restarts
)

// Retrospect has the active conversation looked back at in the background, or the last one where
// none is active, whatever the configuration says. What comes of it is told by a Retrospected, or by
// a Notice where it fails.
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

// retrospectStarted tells that a look back is being made, or will be as soon as nothing else is done.
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

// queueRetrospection has a conversation that ended looked back at, where the configuration says so:
// by this process, or should it end first by the next one.
func (p *Processor) queueRetrospection(c *conversation.Conversation) {
	if !p.opt.Retrospection || c.LastDone() == nil {
		return
	}
	p.note("retrospection owed", c.ID, func(n *carryover.Notes) {
		n.Owed = append(n.Owed, carryover.PendingReview{Conversation: c.ID, Owner: p.owner.Name})
		n.Owed = n.Owed[max(0, len(n.Owed)-maxOwed):]
	})
	p.tasks.Later(memory.Task{Kind: memory.Retrospect, Conversation: c.ID})
}

// doOwedRetrospections takes up those that processes owed which are gone. Where they are wanted
// no more they are forgotten.
func (p *Processor) doOwedRetrospections() error {
	if !slices.ContainsFunc(p.noted().Owed, p.orphaned) {
		return nil
	}
	var taken []string
	err := carryover.Change(p.opt.Root, func(n *carryover.Notes) {
		taken = nil
		n.Owed = slices.DeleteFunc(n.Owed, func(o carryover.PendingReview) bool { return !p.opt.Retrospection && p.orphaned(o) })
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

// orphaned says whether the process is gone that was to look back.
func (p *Processor) orphaned(o carryover.PendingReview) bool {
	return o.Owner != p.owner.Name && !lock.Alive(p.opt.Root, o.Owner)
}

// retrospect looks back at a conversation. What is written down is not tried again, and neither
// is what failed, unless a turn or the end of the program cut it short, or what was written before
// cannot be read: then the model was not asked.
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
	mine := func(o carryover.PendingReview) bool { return o.Conversation == id }
	if !slices.ContainsFunc(p.noted().Owed, mine) {
		return
	}
	p.note("retrospection done", id, func(n *carryover.Notes) { n.Owed = slices.DeleteFunc(n.Owed, mine) })
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
	told := telling{publish: p.bus.Publish, conversation: conv.ID, title: conv.Entry().Name()}
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
		conv = now // it may have got its title meanwhile
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

// tellOnce tells the user of something that fails, where nobody did before.
func (p *Processor) tellOnce(k memory.Kind, text string) {
	if _, told := p.toldOnce.LoadOrStore(k, true); told {
		return
	}
	if p.bus.Heard() {
		p.Tell(text)
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.untold = append(p.untold, text) // the start was quicker than who listens: the next turn tells it
}

// telling publishes what a look back says as the model writes it.
type telling struct {
	publish             func(event.Event)
	conversation, title string

	whole string // as the model wrote it
	said  string // of that, what was published
}

func (t *telling) hear(e event.Event) {
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

// cut says that there is no more of what was published.
func (t *telling) cut(why string) {
	if t.said != "" {
		t.publish(event.Retrospected{
			Meta: event.Meta{Time: time.Now()}, ConversationID: t.conversation, ConversationTitle: t.title,
			Content: strings.TrimSpace(t.said), Cut: why,
		})
	}
	t.whole, t.said = "", ""
}

// whyCut says why a look back ended before its end, for the user.
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
