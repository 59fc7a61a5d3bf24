package agent

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"chatvault/agent/event"
	"chatvault/agent/memory"
	"chatvault/agent/pending"
	"chatvault/conversation"
)

// Reasons of ConversationEnded.
const (
	endedNew   = "new"
	endedAgent = "agent"
)

// enter opens the conversation of a turn, after the previous one has ended if necessary.
func (p *Processor) enter(t *turn) error {
	conversations := p.opt.Conversations
	before, err := conversations.Active()
	if err != nil {
		return fmt.Errorf("the conversation could not be opened: %w", err)
	}
	endedID := ""
	over := func(c *conversation.Conversation) {
		if c != nil {
			endedID = c.ID
			p.ended(t.meta(), c)
		}
	}
	p.publishNotices(t.meta())
	id := cmp.Or(t.entries[0].Conversation, p.nextID())
	conv, ended, err := conversations.Begin(id, t.started)
	if err != nil {
		return fmt.Errorf("the conversation could not be opened: %w", err)
	}
	over(ended)
	t.conv, t.began = conv, before == nil || before.ID != conv.ID
	p.entered(t, id)
	if t.began {
		p.bus.Publish(event.ConversationBegan{Meta: t.meta(), ID: conv.ID, EndedID: endedID})
		p.step("entered")
	}
	return nil
}

// ended publishes the end of a conversation and schedules the follow-up tasks.
func (p *Processor) ended(m event.Meta, c *conversation.Conversation) {
	p.bus.Publish(event.ConversationEnded{Meta: m, ID: c.ID, Reason: c.Reason})
	p.goalEnded(c.ID, c.Reason)
	if p.opt.Titles {
		p.tasks.Later(memory.Task{Kind: memory.Title, Conversation: c.ID})
	}
	if p.opt.Save != nil { // with its title
		p.tasks.Later(memory.Task{Kind: memory.Save, Conversation: c.ID})
	}
	p.queueRetrospection(c)
	p.tasks.Later(memory.Task{Kind: memory.Retain})
	p.step("ended")
}

// note changes the notes for later turns; a failure is logged.
func (p *Processor) note(what, conversation string, change func(*pending.Notes)) {
	if err := pending.Change(p.opt.Root, change); err != nil {
		p.opt.Log.Warn("not noted", "what", what, "conversation", conversation, "error", err)
	}
}

// endByAgent follows up a turn that ended the conversation.
func (p *Processor) endByAgent(t *turn, out Outcome) {
	if !out.ends() {
		return
	}
	c, err := p.opt.Conversations.Get(t.conv.ID)
	if err != nil {
		p.warn(t.meta(), "The ended conversation could not be read", err)
		return
	}
	p.ended(t.meta(), c)
}

// ends reports whether the conversation ends after the turn. One that waits for an answer does not.
func (o Outcome) ends() bool { return o.Ends && o.Question == "" }

// Continue opens another conversation in place of the active one, which ends as by NewConversation. id may be a unique
// prefix. It fails while a turn runs or messages wait, and if another process has the conversation open.
func (p *Processor) Continue(id string) error {
	return p.alone(func(t *turn) error {
		conversations := p.opt.Conversations
		c, err := conversations.Get(id)
		if err != nil {
			return err
		}
		before, err := conversations.Active()
		if err == nil && before != nil && before.ID == c.ID {
			return errGoesOn
		}
		if err == nil {
			_, err = conversations.Open(c.ID, time.Now())
		}
		if err != nil {
			return fmt.Errorf("the conversation could not be continued: %w", err)
		}
		p.recorded(p.nextID())
		endedID := ""
		if before != nil {
			endedID = before.ID
			ended, err := conversations.EndLeft(time.Now(), endedNew, func(e conversation.Entry) bool { return e.ID == endedID })
			if err != nil {
				p.warn(t.meta(), "The conversation before could not be ended", err)
			}
			for _, c := range ended {
				p.ended(t.meta(), c)
			}
		}
		p.bus.Publish(event.ConversationBegan{Meta: t.meta(), ID: c.ID, EndedID: endedID})
		p.step("continued")
		return nil
	})
}

// errGoesOn is returned for a conversation that is active already.
var errGoesOn = errors.New("it has not ended: the next message continues it")

// EndConversation ends the active conversation for a new one, as NewConversation does, but at
// once where no turn runs and no message waits.
func (p *Processor) EndConversation() {
	p.NewConversation()
	err := p.alone(func(t *turn) error {
		c, err := p.opt.Conversations.End(t.started, endedNew)
		if err != nil {
			return err
		}
		p.recorded(p.nextID())
		if c != nil {
			p.ended(t.meta(), c)
		}
		return nil
	})
	if err != nil { // the next message does it
		p.opt.Log.Info("the conversation does not end at once", "why", err)
	}
}

// errBusy refuses what would change the conversation under a turn that works on it.
var errBusy = errors.New("a turn is running: wait until it ends, or stop it first")

// errNothingToGoBackTo is returned if there is no conversation whose turns could be changed.
var errNothingToGoBackTo = errors.New("there is no conversation yet to go back in")

// job is a short piece of work that the worker does between turns for a waiting caller.
type job struct {
	do   func(*turn) error
	done chan error
}

// Fork goes back to before one of the user's messages in the active conversation: the turn with the message and all
// later ones become a branch, which Switch restores. It fails while a turn runs or messages wait.
func (p *Processor) Fork(messageID string) error {
	return p.between(func(c *conversation.Conversation) error {
		id := turnOf(c, messageID)
		if id == "" {
			return fmt.Errorf("message %q is not in the conversation as it stands now", messageID)
		}
		return p.opt.Conversations.Fork(c.ID, id)
	})
}

// Switch makes a branch, named by the ID of its last turn, the active path; what it replaces becomes a branch. It
// fails while a turn runs or messages wait.
func (p *Processor) Switch(branchID string) error {
	return p.between(func(c *conversation.Conversation) error {
		return p.opt.Conversations.Switch(c.ID, branchID)
	})
}

// LeaveQuestion drops the question that the active conversation waits with: the user will not answer it,
// and a plan that asks is not carried out. It fails while a turn runs or messages wait.
func (p *Processor) LeaveQuestion() error {
	return p.between(func(c *conversation.Conversation) error {
		q, err := p.opt.Conversations.DropQuestion(c.ID)
		if q != nil && err == nil {
			p.bus.Publish(event.QuestionDropped{Meta: event.Meta{Time: time.Now()}, ConversationID: c.ID, Question: q.Question, Left: true})
		}
		return err
	})
}

// turnOf returns the turn on the active path with a message, the first of several attempts; empty if there is none.
func turnOf(c *conversation.Conversation, messageID string) string {
	for i := range c.Turns {
		t := &c.Turns[i]
		if t.ID == messageID {
			return t.ID
		}
		for j := range t.Messages {
			if t.Messages[j].Role == conversation.RoleUser && t.Messages[j].ID == messageID {
				return t.ID
			}
		}
	}
	return ""
}

// between changes the active conversation between turns.
func (p *Processor) between(change func(*conversation.Conversation) error) error {
	return p.alone(func(*turn) error {
		c, err := p.opt.Conversations.Active()
		switch {
		case err != nil:
			return fmt.Errorf("the conversation could not be opened: %w", err)
		case c == nil:
			return errNothingToGoBackTo
		case p.nextID() != "":
			return errors.New("the next message begins a new conversation: the one before is over")
		}
		return change(c)
	})
}

// alone does something between turns.
func (p *Processor) alone(do func(*turn) error) error {
	e := &job{do: do, done: make(chan error, 1)}
	p.mu.Lock()
	switch {
	case p.closed:
		p.mu.Unlock()
		return errors.New("the program is ending")
	case !p.free():
		p.mu.Unlock()
		return errBusy
	}
	p.job = e
	p.wakeWorker()
	p.mu.Unlock()
	select {
	case err := <-e.done:
		return err
	case <-p.done:
		return errors.New("the program ended first")
	}
}

// nextBetween takes the next work between turns, nil if there is none. It counts as a turn without messages.
func (p *Processor) nextBetween() (do func(*turn), t *turn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e := p.job; {
	case p.closed:
		return nil, nil
	case e != nil:
		p.job, do = nil, func(t *turn) { p.runJob(e, t) }
	case p.compact:
		p.compact, do = false, p.compactNow
	default:
		return nil, nil
	}
	return do, p.starts(&turn{})
}

// runJob does a job and reports its error once the processor is free again.
func (p *Processor) runJob(e *job, t *turn) {
	err := func() (err error) {
		defer caught(p.opt.Log, "between turns", &err)
		return e.do(t)
	}()
	p.mu.Lock()
	p.running = nil
	p.planGoalStep(nil)
	p.mu.Unlock()
	e.done <- err
}
