package agent

import (
	"errors"

	"chatvault/agent/event"
)

// Usage is what the active conversation and the local day have used so far, in all processes,
// with the turn under way in this one.
func (p *Processor) Usage() (conversation, day event.Totals, err error) {
	err = p.accounts.Look()
	id, activeErr := p.goingOn()
	conversation, day = p.accounts.Today(id)
	return conversation, day, errors.Join(err, activeErr)
}

// Context is how many tokens of the model's window the active conversation took with the last
// call of a turn, also of an earlier process, as far as Usage has read; 0: that is not known.
func (p *Processor) Context() (tokens, window int) {
	id, err := p.goingOn()
	if err != nil || id == "" {
		return 0, 0
	}
	return p.accounts.Filled(id)
}

// goingOn is the id of the conversation that the next message goes on with; empty: of none.
func (p *Processor) goingOn() (string, error) {
	if id := p.conversationID(); id != "" {
		return id, nil
	}
	c, err := p.opt.Conversations.Active()
	switch {
	case err != nil:
		return "", err
	case c != nil:
		return c.ID, nil
	}
	return p.unkeptID(), nil
}

// unrecorded takes note of a conversation whose first turn leaves no record: the next turn goes
// on in it all the same, and what it used counts in it.
func (p *Processor) unrecorded(t *turn) {
	if t.conv == nil || !t.began {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.unkept = t.conv.ID
}

// unkeptID is the id of a conversation that goes on and has no record yet; empty: none does.
func (p *Processor) unkeptID() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.nextBegins() {
		return ""
	}
	return p.unkept
}

// conversationID is that of the turn under way; empty: there is none, or it is not known yet.
func (p *Processor) conversationID() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.running == nil {
		return ""
	}
	return p.running.convID
}

// Costs is what the model calls of the vault have used, with those of the turn under way.
func (p *Processor) Costs() (event.Costs, error) {
	err := p.accounts.Look()
	return p.accounts.Costs(), err
}
