package agent

import (
	"context"
	"errors"
	"time"

	"chatvault/agent/event"
	"chatvault/tools"
)

var errToolUnattended = errors.New("the first call of another program's tool needs the user's consent, and nobody can be asked here; the user can allow it permanently in the chat")

// toolAllower decides about tools of other programs: each is asked about at its first call. Nobody who is
// not there, and nobody who sent a message from elsewhere, allows one.
func (p *Processor) toolAllower(t *turn) func(context.Context, tools.Proposal, string, askFunc) (bool, error) {
	return func(ctx context.Context, c tools.Proposal, why string, ask askFunc) (bool, error) {
		if t.answerable() && p.allowed.has(t.conv.ID, c) {
			return false, nil
		}
		r := event.Request{Kind: event.RequestApproval, Change: c, Text: why}
		if ask == nil {
			p.refuse(t, r)
			return false, errToolUnattended
		}
		a, err := ask(ctx, r)
		if err != nil {
			return false, err
		}
		switch a.Decision {
		case event.AllowAlways:
			return true, nil
		case event.AllowConversation:
			p.allowed.add(t.conv.ID, c)
		case event.AllowOnce:
		default:
			return false, &tools.Denied{Note: a.Note}
		}
		return false, nil
	}
}

// AllowTool asks whether a tool of another program may be called.
func (m *messenger) AllowTool(ctx context.Context, p tools.Proposal, why string) (always bool, err error) {
	r := (*run)(m)
	switch {
	case r.AllowTool == nil:
		return false, errToolUnattended
	case r.Ask == nil:
		return r.AllowTool(ctx, p, why, nil)
	}
	return r.AllowTool(ctx, p, why, r.ask)
}

// AskValue puts a question of another program to the user; ok is false where they do not answer.
func (m *messenger) AskValue(ctx context.Context, name, why string) (value string, ok bool, err error) {
	r := (*run)(m)
	if r.Ask == nil {
		return "", false, nil
	}
	a, err := r.Ask(ctx, event.Request{Kind: event.RequestSetting, Name: name, Text: why})
	if err != nil || a.Decision != event.Provide {
		return "", false, err
	}
	return a.Value, true, nil
}

// Tell tells the user something in a line, between turns or in one.
func (p *Processor) Tell(line string) {
	p.bus.Publish(event.Notice{Meta: event.Meta{Time: time.Now()}, Text: line})
}
