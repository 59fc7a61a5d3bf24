package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"chatvault/agent/event"
	"chatvault/tools"
)

// consents is the approval mode, what the user allowed for the current conversation, and the requests that wait for an
// answer. It is safe for concurrent use.
type consents struct {
	*core
	asked atomic.Int64
	open  sync.Map // *pendingRequest, by ID

	mode atomic.Pointer[approvalMode]

	mu           sync.Mutex // of what follows
	conversation string
	kinds        map[tools.ChangeKind]bool // allowed in conversation; true includes destructive changes. Not persisted
}

// approvalMode is which changes require consent.
type approvalMode struct {
	event.Approval
	since time.Time // when the user chose it; zero if they did not
}

func newConsents(c *core) *consents {
	q := &consents{core: c}
	q.mode.Store(&approvalMode{Approval: c.opt.Approval})
	return q
}

// Approval returns which changes require the user's consent.
func (c *consents) Approval() event.Approval { return c.mode.Load().Approval }

// SetApproval sets which changes require consent, from the next one on, also of the running turn. It withdraws what was
// allowed for the conversation.
func (c *consents) SetApproval(a event.Approval) error {
	if !slices.Contains(event.Approvals(), a) {
		return fmt.Errorf("%q is not one of autonomous, destructive, writes, plan", string(a))
	}
	c.mu.Lock()
	c.mode.Store(&approvalMode{a, time.Now()})
	c.kinds = nil
	c.mu.Unlock()
	c.bus.Publish(event.ApprovalChanged{Meta: event.Meta{Time: time.Now()}, Approval: a})
	return nil
}

// allows reports whether the user allowed a kind of change. Allowing mild changes does not allow destructive ones.
func (c *consents) allows(conversation string, p tools.Proposal) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.conversation != conversation {
		return false
	}
	destructive, ok := c.kinds[keyOf(p)]
	return ok && (destructive || destructiveWhy(p) == "")
}

// allow allows a kind of change; what was allowed in another conversation is forgotten.
func (c *consents) allow(conversation string, p tools.Proposal) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.conversation != conversation || c.kinds == nil {
		c.conversation, c.kinds = conversation, map[tools.ChangeKind]bool{}
	}
	c.kinds[keyOf(p)] = c.kinds[keyOf(p)] || destructiveWhy(p) != ""
}

// keyOf returns the key of an allowance: the kind of change, or one version of another program's tool.
func keyOf(p tools.Proposal) tools.ChangeKind {
	if p.Kind == tools.ChangeTool {
		return p.Kind + tools.ChangeKind(" "+p.Print)
	}
	return p.Kind
}

// pendingRequest is a request that waits for the user.
type pendingRequest struct {
	event.Request
	answer chan event.Answer // holds the one answer
}

// register opens a request of a turn under a new ID.
func (c *consents) register(turn string, r event.Request) *pendingRequest {
	r.ID = fmt.Sprintf("%s-r%d", turn, c.asked.Add(1))
	w := &pendingRequest{r, make(chan event.Answer, 1)}
	c.open.Store(r.ID, w)
	return w
}

var errNotAsked = errors.New("nobody is waiting for this answer any more")

// Answer answers a request. It returns an error if the request is no longer open, or if the answer does not fit it;
// then it stays open.
func (c *consents) Answer(id string, a event.Answer) error {
	open, ok := c.open.Load(id)
	if !ok {
		return errNotAsked
	}
	w := open.(*pendingRequest)
	a, err := a.Checked(w.Request)
	if err != nil {
		return err
	}
	if _, ok := c.open.LoadAndDelete(id); !ok {
		return errNotAsked
	}
	w.answer <- a
	return nil
}

// request sends a request to the user and waits. If the turn is stopped or the program ends, the request is withdrawn and
// the error is the cause, even if it was answered at the same moment.
func (c *consents) request(ctx context.Context, t *turn, r event.Request) (a event.Answer, err error) {
	if ctx.Err() != nil {
		return event.Answer{}, context.Cause(ctx)
	}
	w := c.register(t.id, r)
	c.bus.Publish(event.Requested{Meta: t.meta(), Request: w.Request})
	select {
	case a = <-w.answer:
	case <-ctx.Done():
	}
	c.open.Delete(w.ID)
	ended := event.RequestEnded{Meta: t.meta(), ID: w.ID, Decision: a.Decision, Hunks: a.Hunks}
	if err = context.Cause(ctx); err != nil {
		a, ended.Decision, ended.Hunks = event.Answer{}, event.Withdrawn, nil
	}
	c.bus.Publish(ended)
	return a, err
}

// refuse publishes a request as denied, for a user who cannot be asked.
func (c *consents) refuse(t *turn, r event.Request) {
	w := c.register(t.id, r)
	c.open.Delete(w.ID)
	c.bus.Publish(event.Requested{Meta: t.meta(), Request: w.Request})
	c.bus.Publish(event.RequestEnded{Meta: t.meta(), ID: w.ID, Decision: event.Deny})
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
			why, asks = fmt.Sprintf("This is change %d of this turn; after %d changes, each waits", nth, freeChanges), nth > freeChanges
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
