package agent

import (
	"context"
	"errors"
	"fmt"
	"time"

	"chatvault/agent/event"
	"chatvault/conversation"
)

// errBusy refuses what would change the conversation under a turn that works on it.
var errBusy = errors.New("a turn is running: wait until it ends, or stop it first")

// errNothingToGoBackTo says that there is no conversation whose turns could be changed.
var errNothingToGoBackTo = errors.New("there is no conversation yet to go back in")

// jobWait bounds how long a job waits for the turn of another process.
const jobWait = 2 * time.Second

// job is something short that the worker does between turns, for a caller who waits for it.
type job struct {
	do   func(*turn) error
	done chan error
}

// Fork goes back to before one of the user's messages in the active conversation: the turn that
// holds the message and all after it become a branch, which Switch returns to, and the next
// message goes on from there. It fails while a turn runs or messages wait.
func (p *Processor) Fork(messageID string) error {
	return p.between(func(c *conversation.Conversation) error {
		id := turnOf(c, messageID)
		if id == "" {
			return fmt.Errorf("message %q is not in the conversation as it stands now", messageID)
		}
		return p.opt.Conversations.Fork(c.ID, id)
	})
}

// Switch makes a branch of the active conversation, by the id of its last turn, the one that is
// gone on with; what followed in its place becomes a branch. It fails while a turn runs or
// messages wait.
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

// turnOf is the turn on the active path that holds a message; empty: none does. Of several
// attempts at a message it is the first: they go together.
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
		if p.begins() {
			return errors.New("the next message begins a new conversation: the one before is over")
		}
		c, err := p.opt.Conversations.Active()
		if err != nil {
			return fmt.Errorf("the conversation could not be opened: %w", err)
		}
		if c == nil {
			return errNothingToGoBackTo
		}
		return change(c)
	})
}

// alone does something between turns, under the vault's turn lock.
func (p *Processor) alone(do func(*turn) error) error {
	e := &job{done: make(chan error, 1)}
	e.do = func(t *turn) error {
		ctx, cancel := context.WithTimeout(t.ctx, jobWait)
		defer cancel()
		who := "another chatvault"
		release, err := p.lockTurn(ctx, func(holder string) { who = holder })
		if errors.Is(err, context.DeadlineExceeded) {
			return fmt.Errorf("a turn is running in %s: wait for its end", who)
		}
		if err != nil {
			return err
		}
		defer release()
		defer p.left()
		return do(t)
	}
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

// nextBetween begins what is to be done between turns; nil: nothing is. It is a turn without messages: what holds
// for a turn that runs holds for it.
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

// runJob does a job and says what came of it, when the processor is free again.
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
