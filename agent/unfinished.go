package agent

import (
	"fmt"

	"chatvault/agent/lock"
)

// Unfinished lists the messages that Retry and Drop can decide about now, oldest first: those
// of processes that ended, as Recover does, and those that failed in this one. What waits or is
// worked on, here or in another process, and what was answered is left out. It changes nothing
// but to set aside what cannot be parsed, which the warnings name.
func (p *Processor) Unfinished() (pending []Pending, warnings []string, err error) {
	entries, warnings, err := p.inbox.List()
	if err != nil {
		return nil, warnings, fmt.Errorf("the inbox cannot be read: %w", err)
	}
	for _, e := range entries {
		own := e.Owner == p.owner.Name
		if own && p.knows(e.ID) || !own && lock.Alive(p.opt.Root, e.Owner) {
			continue
		}
		// A turn is over only after its message left the inbox: one that ended meanwhile is gone.
		now, err := p.inbox.Load(e.ID)
		if err != nil {
			continue
		}
		if done, err := p.answered(now); err == nil && done {
			continue
		}
		pending = append(pending, now)
	}
	return pending, warnings, nil
}
