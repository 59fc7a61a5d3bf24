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
	"chatvault/conversation"
	"chatvault/tools"
)

// consents is the approval mode, what the user allowed for the current conversation, and the requests that wait for an
// answer. It is safe for concurrent use.
type consents struct {
	*core
	asked atomic.Int64
	open  sync.Map // *pendingRequest, by ID

	mu           sync.Mutex     // of what follows
	mode         event.Approval // which changes require consent
	since        time.Time      // when the user chose mode; zero if they did not
	conversation string
	kinds        map[tools.ChangeKind]bool // allowed in conversation; true includes destructive changes. Not persisted
}

// Approval returns which changes require the user's consent.
func (c *consents) Approval() event.Approval {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.mode
}

// SetApproval sets which changes require consent, from the next one on, also of the running turn. It withdraws what was
// allowed for the conversation.
func (c *consents) SetApproval(a event.Approval) error {
	if !slices.Contains(event.Approvals(), a) {
		return fmt.Errorf("%q is not one of autonomous, destructive, writes, plan", string(a))
	}
	c.mu.Lock()
	c.mode, c.since, c.kinds = a, time.Now(), nil
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
	asked := event.Requested{Meta: t.meta(), Request: w.Request}
	c.bus.Publish(asked)
	c.report(t.entries[0].Inbound, asked)
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
	case p.Many() && len(p.Rewrites) > freeChanges:
		return fmt.Sprintf("Changing more than %d notes at once waits", freeChanges)
	case p.Destructive:
		return "Removing more than half of a note waits"
	}
	return ""
}

// messenger is the run's end of its tools: what they tell the user, ask, and record.
type messenger struct{ *run }

// SendMessage shows text to the user at once; a question makes the turn end waiting.
func (m messenger) SendMessage(_ context.Context, text string, isQuestion bool) error {
	m.say(text, isQuestion, nil)
	return nil
}

// AskUser asks a question with options; the turn ends waiting.
func (m messenger) AskUser(_ context.Context, question string, options []string) error {
	m.say(question, true, options)
	return nil
}

// SetTasks shows the agent's steps.
func (m messenger) SetTasks(_ context.Context, items []tools.TaskItem) error {
	m.tasks = items
	m.Emit(event.TaskList{Meta: m.meta(), Items: items})
	return nil
}

// EndConversation ends the conversation, once the turn's answer is on record.
func (m messenger) EndConversation(string) { m.out.Ends = true }

// say shows an agent message and records it.
func (r *run) say(text string, isQuestion bool, options []string) {
	e := event.AgentMessage{Meta: r.meta(), Content: text, IsQuestion: isQuestion, Options: options}
	r.out.Messages = append(r.out.Messages, conversation.Message{Role: conversation.RoleAgent, Time: e.Time, Content: text, IsQuestion: isQuestion})
	r.told = true
	if isQuestion {
		r.out.Question, r.out.Options = text, options
	}
	r.Emit(e)
	if r.of != nil {
		r.host.report(r.of.entries[0].Inbound, e)
	}
}

// Errors for changes that need an approval and cannot get one.
var (
	errPlanOnly       = errors.New("changes are made only by a plan that the user approved; put it into a plan")
	errRouted         = errors.New("this change needs the user's consent, which cannot be given for a request from another program; ask the user to make it in the chat")
	errToolUnattended = errors.New("the first call of another program's tool needs the user's consent, and there is no way to ask for it here; the user can allow it permanently in the chat")
)

// ErrUnattended is returned for a change that needs consent where the user cannot be asked.
var ErrUnattended = errors.New("this change needs the user's consent, and there is no way to ask for it here")

// asks reports whether a user can be asked during the run.
func (r *run) asks() bool { return r.of != nil && r.host.opt.Attended && r.of.answerable() }

// ask sends a request to the user while the turn waits. It must be called from the turn's goroutine.
func (r *run) ask(ctx context.Context, q event.Request) (event.Answer, error) {
	before, began := r.state, time.Now()
	r.to(event.StateWaitingDecision)
	a, err := r.host.asks.request(ctx, r.of, q)
	r.waited += time.Since(began)
	if err == nil {
		r.to(before)
	}
	return a, err
}

// decide asks the user about a change. The error is the refusal, or unasked if the user cannot be asked.
func (m messenger) decide(ctx context.Context, change tools.Proposal, why string, unasked error) (event.Answer, error) {
	q := event.Request{Kind: event.RequestApproval, Change: change, Text: why}
	if !m.asks() {
		m.host.asks.refuse(m.of, q) // so that the sender learns of it
		return event.Answer{}, unasked
	}
	a, err := m.ask(ctx, q)
	switch {
	case err != nil:
		return event.Answer{}, err
	case a.Decision == event.AllowConversation:
		m.host.asks.allow(m.of.conv.ID, change)
	case a.Decision != event.AllowOnce && a.Decision != event.AllowAlways:
		return event.Answer{}, &tools.Denied{Note: a.Note}
	}
	return a, nil
}

// allowed reports whether the user allowed a kind of change for the conversation. That does not count for what other
// programs send.
func (m messenger) allowed(change tools.Proposal) bool {
	return m.of.answerable() && m.host.asks.allows(m.of.conv.ID, change)
}

// approval returns the approval mode of the turn. In plan mode, an approved plan runs as in the mode "destructive",
// unless plan mode was chosen after the turn began. EngineApproval applies to the embedded engine until the user
// chooses a mode.
func (m messenger) approval() (a event.Approval, byEngine bool) {
	o, c := &m.host.opt, m.host.asks
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case o.EngineApproval != "" && c.since.IsZero() && m.of.answerable() && o.Engine != nil && m.Provider.Name() == o.Engine.Name():
		return o.EngineApproval, true
	case c.mode == event.ApprovalPlan && m.of.plan == planApprove && c.since.Before(m.of.started):
		return event.ApprovalDestructive, false
	}
	return c.mode, false
}

// Consents reports whether changes may require consent.
func (m messenger) Consents() bool {
	if m.of == nil || m.host.opt.ApproveAll {
		return false
	}
	a, _ := m.approval()
	return a != "" && a != event.ApprovalOff
}

// Approve decides whether a change may happen.
func (m messenger) Approve(ctx context.Context, change tools.Proposal) (tools.Consent, error) {
	now, byEngine := m.approval()
	if now == event.ApprovalPlan {
		return tools.Consent{}, errPlanOnly
	}
	why, asks := Asks(now, change, m.made+1)
	if !asks || m.allowed(change) {
		return tools.Consent{Unasked: true}, nil
	}
	if byEngine && m.host.opt.Approval != m.host.opt.EngineApproval {
		why = "Without a model, you see each change before it is made."
	}
	unasked := ErrUnattended
	if !m.of.answerable() {
		unasked = errRouted
	}
	a, err := m.decide(ctx, change, why, unasked)
	return tools.Consent{Hunks: a.Hunks}, err
}

// AllowTool decides about the first call of another program's tool. It is refused if the user cannot be asked or the
// message was routed.
func (m messenger) AllowTool(ctx context.Context, c tools.Proposal, why string) (always bool, err error) {
	switch {
	case m.of == nil:
		return false, errToolUnattended
	case m.allowed(c):
		return false, nil
	}
	a, err := m.decide(ctx, c, why, errToolUnattended)
	return a.Decision == event.AllowAlways, err
}

// AskValue asks the user for a value on behalf of another program; ok is false if they do not give one.
func (m messenger) AskValue(ctx context.Context, name, why string) (value string, ok bool, err error) {
	if !m.asks() {
		return "", false, nil
	}
	a, err := m.host.asks.request(ctx, m.of, event.Request{Kind: event.RequestSetting, Name: name, Text: why})
	if err != nil || a.Decision != event.Provide {
		return "", false, err
	}
	return a.Value, true, nil
}
