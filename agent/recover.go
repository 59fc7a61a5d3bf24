package agent

import (
	"fmt"
	"time"

	"chatvault/agent/event"
	"chatvault/agent/inbox"
	"chatvault/agent/lock"
)

// Recover looks for messages of processes that ended before they were done with them: to be offered
// to the user, and handed to Retry or Drop; what becomes of others is inbox.Box.Recover's. Questions that
// nobody answered in time are dropped. It is called once, at start; entries of a process that lives are
// left alone.
func (p *Processor) Recover() (pending []inbox.Entry, warnings []string, err error) {
	pending, warnings, err = p.inbox.Recover(p.answered)
	lock.Sweep(p.opt.Root)
	if staleErr := p.dropStale(p.opt.StateTimeout); staleErr != nil {
		warnings = append(warnings, fmt.Sprintf("It is unknown whether a question is still open: %v", staleErr))
	}
	return pending, warnings, err
}

// Unfinished lists the messages that Retry and Drop can decide about now, oldest first.
func (p *Processor) Unfinished() (pending []inbox.Entry, warnings []string, err error) {
	return p.inbox.Unfinished(p.knows, p.answered)
}

// answered says whether a message is on record as answered: the process ended before it
// cleaned up, and the conversation may have ended since.
func (p *Processor) answered(e inbox.Entry) (bool, error) {
	if e.LastTried.IsZero() {
		return false, nil
	}
	return p.opt.Conversations.Answered(e.ID, e.LastTried)
}

// Retry takes an unfinished message up again, as a turn of its own.
func (p *Processor) Retry(id string) error {
	p.accepting.Lock()
	defer p.accepting.Unlock()
	if p.knows(id) {
		return nil
	}
	e, err := p.inbox.Claim(id)
	if err != nil {
		return err
	}
	e.Retried = true
	return p.enqueue(e)
}

// Drop removes an unfinished message for good, and tells its source.
func (p *Processor) Drop(id string) error {
	p.accepting.Lock()
	defer p.accepting.Unlock()
	if p.knows(id) {
		return fmt.Errorf("message %s is being worked on", id)
	}
	e, loadErr := p.inbox.Load(id)
	if err := p.inbox.Drop(id); err != nil {
		return err
	}
	if loadErr == nil {
		p.notifyOf(event.Meta{Time: time.Now()}, e.Inbound, event.Result{Success: true, MessageID: id, Dropped: true})
	}
	return nil
}
