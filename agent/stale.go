package agent

import (
	"time"

	"chatvault/agent/event"
)

// A question that is not answered for a while is waited for no more: it is looked for at start,
// by Recover or before the first turn, and every staleEvery, while no turn runs. What the screen
// shows as waiting is answered until then, also a little late; after the machine slept, when
// nobody looked, a turn finds out itself.

// dropStale drops the questions that are older than timeout.
func (p *Processor) dropStale(timeout time.Duration) error {
	if timeout <= 0 {
		return nil
	}
	dropped, err := p.opt.Conversations.DropStale(time.Now(), timeout)
	for _, q := range dropped {
		p.bus.Publish(event.QuestionDropped{Meta: event.Meta{Time: time.Now()}, ConversationID: q.ConversationID, Question: q.Question})
	}
	p.mu.Lock()
	p.staleLooked = p.staleLooked || err == nil
	p.mu.Unlock()
	return err
}

// dropStaleFirst drops them before a turn.
func (p *Processor) dropStaleFirst(t *turn) {
	timeout := p.opt.StateTimeout
	if timeout <= 0 {
		return
	}
	p.mu.Lock()
	if p.staleLooked {
		timeout += staleEvery
	}
	p.mu.Unlock()
	if err := p.dropStale(timeout); err != nil {
		p.warn(t, "It could not be found out whether a question is still open", err)
	}
}
