package agent

import (
	"context"
	"errors"
	"time"

	"chatvault/agent/event"
	"chatvault/tools"
)

var errToolUnattended = errors.New("the first call of another program's tool needs the user's consent, and nobody can be asked here; the user can allow it permanently in the chat")

// AllowTool decides about a tool of another program: each is asked about at its first call. Nobody who is
// not there, and nobody who sent a message from elsewhere, allows one.
func (m *messenger) AllowTool(ctx context.Context, c tools.Proposal, why string) (always bool, err error) {
	p, t := m.proc, m.of
	switch {
	case t == nil:
		return false, errToolUnattended
	case t.answerable() && p.approval.allows(t.conv.ID, c):
		return false, nil
	}
	a, err := p.decide(ctx, t, event.Request{Kind: event.RequestApproval, Change: c, Text: why}, (*run)(m).asker(), errToolUnattended)
	return a.Decision == event.AllowAlways, err
}

// AskValue puts a question of another program to the user; ok is false where they do not answer.
func (m *messenger) AskValue(ctx context.Context, name, why string) (value string, ok bool, err error) {
	r := (*run)(m)
	if !r.asks() {
		return "", false, nil
	}
	a, err := r.request(ctx, event.Request{Kind: event.RequestSetting, Name: name, Text: why})
	if err != nil || a.Decision != event.Provide {
		return "", false, err
	}
	return a.Value, true, nil
}

// Tell tells the user something in a line, between turns or in one.
func (p *Processor) Tell(line string) {
	p.bus.Publish(event.Notice{Meta: event.Meta{Time: time.Now()}, Text: line})
}
