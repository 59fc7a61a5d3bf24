package agent

import (
	"context"
	"errors"
	"time"

	"chatvault/agent/event"
	"chatvault/conversation"
	"chatvault/tools"
)

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
	o := &m.host.opt
	mode := *m.host.asks.mode.Load()
	switch {
	case o.EngineApproval != "" && mode.since.IsZero() && m.of.answerable() && o.Engine != nil && m.Provider.Name() == o.Engine.Name():
		return o.EngineApproval, true
	case mode.Approval == event.ApprovalPlan && m.of.plan == planApprove && mode.since.Before(m.of.started):
		return event.ApprovalDestructive, false
	}
	return mode.Approval, false
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

// ChooseLinks asks the user whether a move updates links, in a vault where Obsidian is set to ask. What was allowed for
// the conversation, or for everything, needs no question.
func (m messenger) ChooseLinks(ctx context.Context, change tools.Proposal) (tools.LinkChoice, error) {
	switch {
	case m.of == nil:
		return tools.LinksUnasked, nil
	case m.host.opt.ApproveAll, m.host.asks.allows(m.of.conv.ID, change):
		return tools.LinksUpdate, nil
	case !m.asks():
		return tools.LinksUnasked, nil
	}
	_, err := m.decide(ctx, change, "Obsidian is set to ask before links are updated (alwaysUpdateLinks is off). It is moved either way; if you deny this, the links are left unchanged and break.", nil)
	if err == nil {
		return tools.LinksUpdate, nil
	}
	if _, denied := errors.AsType[*tools.Denied](err); denied {
		return tools.LinksLeave, nil
	}
	return tools.LinksUnasked, err
}
