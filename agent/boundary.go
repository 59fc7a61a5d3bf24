package agent

import (
	"fmt"
	"time"

	"chatvault/agent/carryover"
	"chatvault/agent/event"
	"chatvault/agent/memory"
	"chatvault/conversation"
)

// Why conversations end, as ConversationEnded says.
const (
	endedIdle  = "idle"
	endedNew   = "new"
	endedAgent = "agent"
)

// enter finds the conversation that a turn belongs to, once the one before is over where that
// is so: by the user's wish, by idleness, or because the agent ended it.
func (p *Processor) enter(t *turn) error {
	conversations := p.opt.Conversations
	p.dropStaleFirst(t)
	before, err := conversations.Active()
	if err != nil {
		return fmt.Errorf("the conversation could not be opened: %w", err)
	}
	p.seen.found(before)
	endedID := ""
	over := func(c *conversation.Conversation, reason string) {
		if c != nil {
			endedID = c.ID
			p.ended(t.meta(), c, reason)
		}
	}
	unfinished, err := p.endUnfinished(t, before)
	if err != nil {
		return fmt.Errorf("the conversation could not be ended: %w", err)
	}
	over(unfinished, endedAgent)
	p.mu.Lock()
	newConv, kept := p.news.opens(t.entries[0]), p.unkept
	p.unkept = ""
	p.mu.Unlock()
	if newConv && !t.goesOn() { // else the goal is paused first
		c, err := conversations.End(t.started, endedNew)
		if err != nil {
			return fmt.Errorf("the conversation could not be ended: %w", err)
		}
		p.mu.Lock()
		p.news.begun = t.entries[0].NewConversations
		p.mu.Unlock()
		over(c, endedNew)
	}
	conv, idle, err := conversations.Begin(t.started)
	if err != nil {
		return fmt.Errorf("the conversation could not be opened: %w", err)
	}
	over(idle, endedIdle)
	t.began = before == nil || before.ID != conv.ID
	if t.began && kept != "" && !newConv {
		conv.ID = kept // it goes on, though its first turn left no record
	}
	t.conv = conv
	p.mu.Lock()
	t.convID = conv.ID
	p.mu.Unlock()
	if t.began {
		p.bus.Publish(event.ConversationBegan{Meta: t.meta(), ID: conv.ID, EndedID: endedID})
		p.step("entered")
	}
	return nil
}

// ended tells that a conversation is over and sees to what follows from it.
func (p *Processor) ended(m event.Meta, c *conversation.Conversation, reason string) {
	p.bus.Publish(event.ConversationEnded{Meta: m, ID: c.ID, Reason: reason})
	p.goalEnded(c.ID, reason)
	if p.opt.Titles {
		p.tasks.Later(memory.Task{Kind: memory.Title, Conversation: c.ID})
	}
	p.oweRetrospection(c)
	p.tasks.Later(memory.Task{Kind: memory.Retain})
	p.step("ended")
}

// willEnd takes note, before a turn is recorded, that the agent ended the conversation in it: the
// end is not lost where the process dies between the two.
func (p *Processor) willEnd(t *turn, out Outcome) {
	if !out.ends() {
		return
	}
	err := carryover.Change(p.opt.Root, func(n *carryover.Notes) { n.Ending = &carryover.Ending{Conversation: t.conv.ID, Turn: t.id} })
	if err != nil {
		p.opt.Log.Warn("the end of the conversation not noted", "conversation", t.conv.ID, "error", err)
	}
}

// endByAgent ends the conversation after a turn in which the agent did so: its answer is on
// record, so that the farewell belongs to it.
func (p *Processor) endByAgent(t *turn, out Outcome) {
	if !out.ends() {
		return
	}
	c, err := p.opt.Conversations.End(time.Now(), endedAgent)
	if err != nil {
		p.warn(t, "The conversation could not be ended; the next message ends it", err)
		return
	}
	if c != nil {
		p.ended(t.meta(), c, endedAgent)
	}
	p.forgetEnding()
}

// ends says whether the conversation ends after the turn. One that waits for an answer goes on.
func (o Outcome) ends() bool { return o.Ends && o.Question == "" }

// endUnfinished ends the active conversation where the agent had ended it and the process died
// before that was on record.
func (p *Processor) endUnfinished(t *turn, active *conversation.Conversation) (*conversation.Conversation, error) {
	n := p.noted()
	p.tellNotes(t.meta())
	if n.Ending == nil {
		return nil, nil
	}
	var c *conversation.Conversation
	if active != nil && active.ID == n.Ending.Conversation {
		if last := active.LastDone(); last != nil && last.ID == n.Ending.Turn {
			var err error
			if c, err = p.opt.Conversations.End(t.started, endedAgent); err != nil {
				return nil, err
			}
		}
	}
	p.forgetEnding()
	return c, nil
}

func (p *Processor) forgetEnding() {
	if err := carryover.Change(p.opt.Root, func(n *carryover.Notes) { n.Ending = nil }); err != nil {
		p.opt.Log.Warn("note on the conversation's end not removed", "error", err)
	}
}
