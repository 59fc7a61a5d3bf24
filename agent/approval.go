package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"chatvault/agent/event"
	"chatvault/tools"
)

// approvals is the approval mode, since when it applies, and which kinds of change the user allowed for the current
// conversation. Allowances are not persisted.
type approvals struct {
	mu           sync.Mutex
	now          event.Approval
	since        time.Time
	conversation string
	kinds        map[tools.ChangeKind]bool // true includes destructive ones
}

func (a *approvals) get() (event.Approval, time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.now, a.since
}

// Approval returns which changes require the user's consent.
func (p *Processor) Approval() event.Approval {
	a, _ := p.approval.get()
	return a
}

// SetApproval has other changes wait, from the next one on, also of the turn that runs. What was allowed
// for the conversation is allowed no more.
func (p *Processor) SetApproval(a event.Approval) error {
	if !slices.Contains(event.Approvals(), a) {
		return fmt.Errorf("%q is not one of autonomous, destructive, writes, plan", string(a))
	}
	p.approval.mu.Lock()
	p.approval.now, p.approval.since, p.approval.kinds = a, time.Now(), nil
	p.approval.mu.Unlock()
	p.bus.Publish(event.ApprovalChanged{Meta: event.Meta{Time: time.Now()}, Approval: a})
	return nil
}

// freeChanges is the number of changes per turn that need no consent in the mode "destructive".
const freeChanges = 5

// Asks reports whether the nth change of a turn requires the user's consent, and why.
func Asks(a event.Approval, p tools.Proposal, nth int) (why string, asks bool) {
	switch a {
	case "", event.ApprovalOff:
		return "", false
	case event.ApprovalDestructive:
		if why, asks = destructiveWhy(p), true; why == "" {
			why, asks = fmt.Sprintf("This is the %s change of this turn; from the %s on, each waits", ordinal(nth), ordinal(freeChanges+1)), nth > freeChanges
		}
		return why + " (approval = destructive).", asks
	}
	// An unknown mode must not be weaker.
	return "Every change waits (approval = writes).", true
}

// destructiveWhy returns why a change alone is destructive; empty if it is not.
func destructiveWhy(p tools.Proposal) string {
	switch {
	case p.Kind == tools.ChangeDelete:
		return "Deleting waits"
	case p.Kind == tools.ChangeMove && p.Folder:
		return "Moving a folder waits"
	case p.Unread:
		return "Overwriting a note that was not read waits"
	case p.Destructive:
		return "Removing more than half of a note waits"
	}
	return ""
}

// ordinal returns an ordinal number in words: "sixth", "21st".
func ordinal(n int) string {
	names := []string{"first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"}
	if n >= 1 && n <= len(names) {
		return names[n-1]
	}
	end := "th"
	if ones, tens := n%10, n%100; ones <= 3 && (tens < 11 || tens > 13) {
		end = []string{"th", "st", "nd", "rd"}[ones]
	}
	return fmt.Sprint(n) + end
}

// allows reports whether the user allowed a kind of change. Allowing mild changes does not allow destructive ones.
func (a *approvals) allows(conversation string, c tools.Proposal) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.conversation != conversation {
		return false
	}
	destructive, ok := a.kinds[keyOf(c)]
	return ok && (destructive || destructiveWhy(c) == "")
}

// allow allows a kind of change; what was allowed in another conversation is forgotten.
func (a *approvals) allow(conversation string, c tools.Proposal) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.conversation != conversation || a.kinds == nil {
		a.conversation, a.kinds = conversation, map[tools.ChangeKind]bool{}
	}
	a.kinds[keyOf(c)] = a.kinds[keyOf(c)] || destructiveWhy(c) != ""
}

// keyOf returns the key of an allowance: the kind of change, or one version of another program's tool.
func keyOf(c tools.Proposal) tools.ChangeKind {
	if c.Kind == tools.ChangeTool {
		return c.Kind + tools.ChangeKind(" "+c.Print)
	}
	return c.Kind
}

// Errors for changes that need an approval and cannot get one.
var (
	errPlanOnly   = errors.New("changes are made only by a plan that the user approved; put it into a plan")
	errRouted     = errors.New("this change needs the user's consent, which cannot be given for a request from another program; ask the user to make it in the chat")
)

// ErrUnattended is returned for a change that needs consent where the user cannot be asked.
var ErrUnattended = errors.New("this change needs the user's consent, and there is no way to ask for it here")

// askFunc sends a request to the user and waits for the answer; nil if the user cannot be asked.
type askFunc = func(context.Context, event.Request) (event.Answer, error)

// approvalNow returns the approval mode of the turn. In plan mode, an approved plan runs as in the mode
// "destructive", unless plan mode was chosen after the turn began. EngineApproval applies to the embedded engine
// until the user chooses a mode.
func (r *run) approvalNow() event.Approval {
	p, t := r.proc, r.of
	if r.byEngine() {
		return p.opt.EngineApproval
	}
	now, since := p.approval.get()
	if now == event.ApprovalPlan && t.plan == planApprove && since.Before(t.started) {
		return event.ApprovalDestructive
	}
	return now
}

// byEngine reports whether EngineApproval applies.
func (r *run) byEngine() bool {
	p := r.proc
	_, chosen := p.approval.get()
	return p.opt.EngineApproval != "" && chosen.IsZero() && r.of.answerable() && p.opt.Engine != nil && r.Provider.Name() == p.opt.Engine.Name()
}

// Consents reports whether changes may require consent.
func (r *run) Consents() bool {
	if r.of == nil || r.proc.opt.ApproveAll {
		return false
	}
	a := r.approvalNow()
	return a != "" && a != event.ApprovalOff
}

// Approve decides whether a change may happen.
func (r *run) Approve(ctx context.Context, change tools.Proposal) (tools.Consent, error) {
	p, t := r.proc, r.of
	now := r.approvalNow()
	if now == event.ApprovalPlan {
		return tools.Consent{}, errPlanOnly
	}
	why, asks := Asks(now, change, r.made+1)
	if !asks || t.answerable() && p.approval.allows(t.conv.ID, change) { // what was allowed here is not for what others send
		return tools.Consent{Unasked: true}, nil
	}
	if r.byEngine() && p.opt.Approval != p.opt.EngineApproval {
		why = "Without a model, you see each change before it is made."
	}
	unasked := ErrUnattended
	if !t.answerable() {
		unasked = errRouted
	}
	a, err := p.decide(ctx, t, event.Request{Kind: event.RequestApproval, Change: change, Text: why}, r.asker(), unasked)
	return tools.Consent{Hunks: a.Hunks}, err
}

// decide asks the user about a change. The error is the refusal, or unasked if the user cannot be asked.
func (p *Processor) decide(ctx context.Context, t *turn, r event.Request, ask askFunc, unasked error) (event.Answer, error) {
	if ask == nil {
		p.refuse(t, r) // so that the sender learns of it
		return event.Answer{}, unasked
	}
	a, err := ask(ctx, r)
	switch {
	case err != nil:
		return event.Answer{}, err
	case a.Decision == event.AllowConversation:
		p.approval.allow(t.conv.ID, r.Change)
	case a.Decision != event.AllowOnce && a.Decision != event.AllowAlways:
		return event.Answer{}, &tools.Denied{Note: a.Note}
	}
	return a, nil
}

// refuse publishes a request as denied, for a user who cannot be asked.
func (p *Processor) refuse(t *turn, r event.Request) {
	r.ID = p.requests.newID(t.id)
	p.bus.Publish(event.Requested{Meta: t.meta(), Request: r})
	p.bus.Publish(event.RequestEnded{Meta: t.meta(), ID: r.ID, Decision: event.Deny})
}

// chooseLinks asks the user whether a move shall update links, in a vault where Obsidian is set to
// ask. What was allowed for the conversation, or for everything, needs no question.
func (p *Processor) chooseLinks(ctx context.Context, t *turn, change tools.Proposal, ask askFunc) (tools.LinkChoice, error) {
	switch {
	case p.opt.ApproveAll, p.approval.allows(t.conv.ID, change):
		return tools.LinksUpdate, nil
	case ask == nil:
		return tools.LinksUnasked, nil
	}
	_, err := p.decide(ctx, t, event.Request{
		Kind: event.RequestApproval, Change: change,
		Text: "Obsidian is set to ask before links are updated (alwaysUpdateLinks is off). It is moved either way; if you deny this, the links are left unchanged and break.",
	}, ask, nil)
	if err == nil {
		return tools.LinksUpdate, nil
	}
	if _, denied := errors.AsType[*tools.Denied](err); denied {
		return tools.LinksLeave, nil
	}
	return tools.LinksUnasked, err
}

// ChooseLinks asks whether a move shall update links.
func (r *run) ChooseLinks(ctx context.Context, p tools.Proposal) (tools.LinkChoice, error) {
	if r.of == nil {
		return tools.LinksUnasked, nil
	}
	return r.proc.chooseLinks(ctx, r.of, p, r.asker())
}
