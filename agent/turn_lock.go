package agent

import (
	"context"
	"sync"

	"chatvault/agent/event"
	"chatvault/agent/lock"
)

// turnLock is a turn's hold on the vault, which keeps the turns of other processes away while it works,
// and lets them go on while it waits for its user.
type turnLock struct {
	mu      sync.Mutex
	asking  int    // requests that wait for the user
	release func() // nil: it is not held
}

// hold takes the vault's lock for a turn, and tells whom it waits for.
func (p *Processor) hold(ctx context.Context, t *turn) error {
	release, err := p.lockTurn(ctx, func(who string) {
		p.bus.Publish(event.Waiting{Meta: t.meta(), For: who})
		p.bus.Publish(event.Notice{Meta: t.meta(), Text: "Waiting for " + who + " to end its turn."})
	})
	t.lock.release = release
	return err
}

// unlock ends a turn's hold, where it has one.
func (l *turnLock) unlock() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.release != nil {
		l.release()
		l.release = nil
	}
}

// unlockedWhile does what waits for the user without keeping other turns away meanwhile. Where ctx ends, or the
// lock cannot be had again, its error is why.
func (p *Processor) unlockedWhile(ctx context.Context, t *turn, wait func() (event.Answer, error)) (event.Answer, error) {
	l := &t.lock
	l.mu.Lock()
	if l.asking++; l.asking == 1 && l.release != nil {
		l.release()
		l.release = nil
	}
	l.mu.Unlock()
	a, err := wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.asking--; l.asking > 0 || l.release != nil || err != nil {
		return a, err
	}
	return a, p.hold(ctx, t)
}

// pinned says whether the processor keeps to a conversation of its own.
func (p *Processor) pinned() bool { return p.opt.Conversations.Pinned() != "" }

// lockTurn keeps other turns away from the conversation. One that is pinned is open here alone: its
// turns wait for nobody's, and nobody's wait while somebody is asked here. What a turn changes in the
// vault is kept apart change by change (vault.Commit).
func (p *Processor) lockTurn(ctx context.Context, waiting func(who string)) (release func(), err error) {
	if p.pinned() {
		return func() {}, context.Cause(ctx)
	}
	return lock.Turn(ctx, p.opt.Root, p.opt.Name, waiting)
}
