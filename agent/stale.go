package agent

import (
	"os"
	"time"
)

// A question that is not answered for a while is waited for no more: it is looked for at start
// and every staleEvery. What the screen shows as waiting is answered until then, also a little
// late; after the machine slept, when nobody looked, a turn finds out itself.

// dropStale drops the questions that are older than timeout. try leaves it where a turn is at
// work in the vault, perhaps on the answer.
func (p *Processor) dropStale(timeout time.Duration, try bool) error {
	if timeout <= 0 {
		return nil
	}
	if try {
		release, ok, err := tryTurn(p.opt.Root)
		if !ok || err != nil {
			return err
		}
		defer release()
	}
	dropped, err := p.opt.Conversations.DropStale(time.Now(), timeout)
	for _, q := range dropped {
		p.bus.publish(QuestionDropped{Meta{Time: time.Now()}, q.ConversationID, q.Question})
	}
	p.mu.Lock()
	p.staleLooked = p.staleLooked || err == nil
	p.mu.Unlock()
	return err
}

// dropStaleFirst drops them before a turn, which holds the lock.
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
	if err := p.dropStale(timeout, false); err != nil {
		p.warn(t, "It could not be found out whether a question is still open", err)
	}
}

// tryTurn takes the vault's turn lock if nobody holds it.
func tryTurn(root *os.Root) (release func(), ok bool, err error) {
	l, err := newLock(root, turnLockFile)
	if err != nil {
		return nil, false, err
	}
	if ok, err = l.TryLock(); !ok || err != nil {
		return nil, false, err
	}
	return func() { _ = l.Unlock() }, true, nil
}
