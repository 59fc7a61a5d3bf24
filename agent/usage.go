package agent

import (
	"errors"
	"time"

	"chatvault/agent/event"
	"chatvault/agent/llm"
)

// Usage is what the active conversation and the local day have used so far, in all processes,
// with the turn under way in this one.
func (p *Processor) Usage() (conversation, day event.Totals, err error) {
	err = p.ledger.refresh()
	if errors.Is(err, errUsageAside) {
		p.bus.Publish(event.Notice{Meta: event.Meta{Time: time.Now()}, Text: err.Error()})
		err = nil
	}
	id, activeErr := p.goingOn()
	conversation, day = p.ledger.look(id, today())
	return conversation, day, errors.Join(err, activeErr)
}

// Context is how many tokens of the model's window the active conversation took with the last
// call of a turn, also of an earlier process, as far as Usage has read; 0: that is not known.
func (p *Processor) Context() (tokens, window int) {
	id, err := p.goingOn()
	if err != nil || id == "" {
		return 0, 0
	}
	return p.ledger.filled(id)
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

func today() string { return day(time.Now()) }

// meter counts the model calls of a conversation, in and beside its turns. What it counted is on
// disk when it returns, so that nothing is lost with the process; what cannot be written is
// written with the next call, or by saveUsage.
func (p *Processor) meter(conversation string) func(llm.Usage) (inConversation, inDay event.Totals) {
	return func(u llm.Usage) (inConversation, inDay event.Totals) {
		now := time.Now()
		inConversation, inDay = p.ledger.count(conversation, u, now)
		p.saveUsage(event.Meta{Time: now})
		return inConversation, inDay
	}
}

// readUsage brings the totals up to date before a turn's model calls are counted.
func (p *Processor) readUsage(m event.Meta) { p.tellUsage(m, p.ledger.refresh()) }

// saveUsage writes down what was counted and is not on disk yet.
func (p *Processor) saveUsage(m event.Meta) { p.tellUsage(m, p.ledger.save()) }

// tellUsage tells of a failure to count once: it fails no turn, and what cannot be written now
// may be later.
func (p *Processor) tellUsage(m event.Meta, err error) {
	if err == nil {
		return
	}
	p.opt.Log.Error("usage not counted", "error", err)
	p.mu.Lock()
	told := p.usageTold
	p.usageTold = true
	p.mu.Unlock()
	if !told || errors.Is(err, errUsageAside) {
		p.bus.Publish(event.Notice{Meta: m, Text: err.Error()})
	}
}
