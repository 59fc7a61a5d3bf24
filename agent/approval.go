package agent

import (
	"context"
	"errors"
	"sync"

	"chatvault/tools"
)

// Approval says which changes of the vault wait for the user's consent.
type Approval string

// The approvals, weakest first.
const (
	ApprovalOff         Approval = "off"         // none: the agent is autonomous
	ApprovalDestructive Approval = "destructive" // deleting, overwriting, and edits that take out more than half of a note
	ApprovalWrites      Approval = "writes"      // every one
)

// asks says whether a change waits for the user's consent.
func (a Approval) asks(p tools.Proposal) bool {
	switch a {
	case "", ApprovalOff:
		return false
	case ApprovalDestructive:
		return p.Destructive
	}
	return true // what is not known is not weaker
}

// allowed is what the user allowed for the conversation under way, by kind of change. It is
// kept in memory only: who starts the program anew is asked anew.
type allowed struct {
	mu           sync.Mutex
	conversation string
	kinds        map[tools.ChangeKind]bool // true: those that take text away, too
}

// has says whether a change was allowed. Who allowed edits when a mild one was asked about did
// not allow one that takes most of a note away.
func (l *allowed) has(conversation string, c tools.Proposal) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.conversation != conversation {
		return false
	}
	destructive, ok := l.kinds[c.Kind]
	return ok && (destructive || !c.Destructive)
}

// add allows a kind of change; what was allowed in another conversation is forgotten.
func (l *allowed) add(conversation string, c tools.Proposal) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.conversation != conversation || l.kinds == nil {
		l.conversation, l.kinds = conversation, map[tools.ChangeKind]bool{}
	}
	l.kinds[c.Kind] = l.kinds[c.Kind] || c.Destructive
}

// The refusals of changes that nobody could be asked about.
var (
	errRouted     = errors.New("this change needs the user's consent, and a request that another program sent cannot be consented to; ask the user to make it in the chat itself")
	errUnattended = errors.New("this change needs the user's consent, and nobody can be asked here")
)

// askFunc puts a request to the user and waits for the answer.
type askFunc = func(context.Context, Request) (Answer, error)

// approver decides about the changes of a turn; nil where each may happen.
func (p *Processor) approver(t *turn) func(context.Context, tools.Proposal, askFunc) error {
	if a := p.opt.Approval; p.opt.ApproveAll || a == "" || a == ApprovalOff {
		return nil
	}
	return func(ctx context.Context, change tools.Proposal, ask askFunc) error {
		if !p.opt.Approval.asks(change) || p.allowed.has(t.conv.ID, change) {
			return nil
		}
		r := Request{Kind: RequestApproval, Change: change, Text: p.opt.Approval.why()}
		switch {
		case !t.answerable():
			return errRouted
		case ask == nil:
			p.refuse(t, r)
			return errUnattended
		}
		a, err := ask(ctx, r)
		if err != nil {
			return err
		}
		switch a.Decision {
		case AllowOnce:
		case AllowConversation:
			p.allowed.add(t.conv.ID, change)
		default:
			return &tools.Denied{Note: a.Note}
		}
		return nil
	}
}

// refuse shows a request that nobody can answer as one that was denied.
func (p *Processor) refuse(t *turn, r Request) {
	r.ID, _ = p.requests.begin(t.id, r.Kind)
	p.requests.end(r.ID)
	p.bus.publish(Requested{t.meta(), r})
	p.bus.publish(RequestEnded{t.meta(), r.ID, Deny})
}

// why says why a change is asked about.
func (a Approval) why() string {
	if a == ApprovalDestructive {
		return "Deleting, overwriting, and an edit that removes more than half of a note wait for your consent (approval = destructive)."
	}
	return "The agent may change notes only with your consent (approval = writes)."
}

// approving is a messenger whose turn's changes wait for the user's consent.
type approving struct{ *messenger }

// Approve decides whether a change may happen.
func (a approving) Approve(ctx context.Context, p tools.Proposal) error {
	r := (*run)(a.messenger)
	if r.Ask == nil {
		return r.Approve(ctx, p, nil)
	}
	return r.Approve(ctx, p, r.ask)
}
