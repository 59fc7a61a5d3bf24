package agent

import (
	"sync"

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
