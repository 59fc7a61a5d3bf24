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
	return p.unrecordedConversation(), nil
}

// Costs is what the model calls of the vault have used, with those of the turn under way.
func (p *Processor) Costs() (event.Costs, error) {
	err := p.accounts.Look()
	return p.accounts.Costs(), err
}
