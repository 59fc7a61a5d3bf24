package agent

import (
	"context"
	"sync"

	"chatvault/agent/event"
	"chatvault/agent/lock"
	"chatvault/conversation"
)

// Other processes go on with the same conversations: ask, another chat, one that takes routed
// messages. Who shows the active conversation finds out here that it is another than was shown.

// seen is the active conversation as this process last left it, or found it.
type seen struct {
	mu     sync.Mutex
	asked  bool // somebody wants to know
	known  bool
	mark   conversation.Mark
	stamp  string
	missed bool // a turn began in what another process had changed
}

// ChangedByOthers says whether another process changed the active conversation since this one last left
// it or was last asked: said something in it, went back in it, ended it, began another. The first
// time, and while a turn runs, it is false. It costs next to nothing where nothing was written.
func (p *Processor) ChangedByOthers() (bool, error) {
	p.mu.Lock()
	free := p.free() && !p.closed
	p.mu.Unlock()
	s := &p.seen
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = true
	stamp := p.opt.Conversations.Stamp()
	if !free || s.known && !s.missed && stamp == s.stamp {
		return false, nil
	}
	c, err := p.opt.Conversations.Active()
	if err != nil {
		return false, err
	}
	changed := s.known && (s.missed || c.Mark() != s.mark)
	s.known, s.missed, s.mark, s.stamp = true, false, c.Mark(), stamp
	return changed, nil
}

// found compares what a turn begins in with what was left.
func (s *seen) found(c *conversation.Conversation) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.missed = s.missed || s.known && c.Mark() != s.mark
}

// left notes the active conversation as this process leaves it, with its worker's turn.
func (p *Processor) left() {
	s := &p.seen
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.asked {
		return
	}
	if c, err := p.opt.Conversations.Active(); err == nil {
		s.known, s.mark = true, c.Mark()
	}
}

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
