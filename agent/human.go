package agent

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"chatvault/agent/event"
	"chatvault/agent/llm"
	"chatvault/conversation"
	"chatvault/tools"
)

// requests are those that wait for the user. Several may wait at once; each is answered at
// most once.
type requests struct {
	asked atomic.Int64
	open  sync.Map // *pendingRequest, by id
}

// pendingRequest is a request under way.
type pendingRequest struct {
	event.Request
	answer chan event.Answer // holds the one answer
}

// newID returns the ID of the turn's next request.
func (q *requests) newID(turn string) string { return fmt.Sprintf("%s-r%d", turn, q.asked.Add(1)) }

// begin registers a request under a new ID.
func (q *requests) begin(turn string, r event.Request) *pendingRequest {
	r.ID = q.newID(turn)
	w := &pendingRequest{r, make(chan event.Answer, 1)}
	q.open.Store(r.ID, w)
	return w
}

// take gives a request its answer.
func (q *requests) take(id string, a event.Answer) error {
	open, ok := q.open.Load(id)
	if !ok {
		return errNotAsked
	}
	w := open.(*pendingRequest)
	a, err := a.Checked(w.Request)
	if err != nil {
		return err
	}
	if _, ok := q.open.LoadAndDelete(id); !ok {
		return errNotAsked
	}
	w.answer <- a
	return nil
}

var errNotAsked = errors.New("nobody is waiting for this answer any more")

// Answer answers a request. It returns an error if the request is no longer open, or if the answer does not fit it;
// then it stays open.
func (p *Processor) Answer(id string, a event.Answer) error { return p.requests.take(id, a) }

// answerable reports whether the user may decide for the turn. The sender of a routed message may not.
func (t *turn) answerable() bool {
	return len(t.entries) > 0 && (t.entries[0].Source == event.SourceDirect || t.entries[0].Source == event.SourceGoal)
}

// asks reports whether a user can be asked during the run.
func (r *run) asks() bool { return r.of != nil && r.proc.opt.Attended && r.of.answerable() }

// asker returns the function that asks the user; nil if the user cannot be asked.
func (r *run) asker() askFunc {
	if !r.asks() {
		return nil
	}
	return r.ask
}

// ask sends a request to the user and waits. If the turn is stopped or the program ends, the request is withdrawn and
// the error is the cause, even if it was answered at the same moment.
func (p *Processor) ask(ctx context.Context, t *turn, r event.Request) (a event.Answer, err error) {
	if ctx.Err() != nil {
		return event.Answer{}, context.Cause(ctx)
	}
	w := p.requests.begin(t.id, r)
	ended := event.RequestEnded{ID: w.ID, Decision: event.Withdrawn}
	defer func() {
		p.requests.open.Delete(w.ID)
		ended.Meta = t.meta()
		p.bus.Publish(ended)
	}()
	p.bus.Publish(event.Requested{Meta: t.meta(), Request: w.Request})
	select {
	case a = <-w.answer:
	case <-ctx.Done():
	}
	if ctx.Err() != nil {
		return event.Answer{}, context.Cause(ctx)
	}
	ended.Decision, ended.Hunks = a.Decision, a.Hunks
	return a, nil
}

// ask sends a request to the user while the turn waits. It must be called from the turn's goroutine.
func (r *run) ask(ctx context.Context, q event.Request) (event.Answer, error) {
	before, began := r.state, time.Now()
	r.to(event.StateWaitingDecision)
	a, err := r.proc.ask(ctx, r.of, q)
	r.waited += time.Since(began)
	if err != nil {
		return event.Answer{}, err
	}
	r.to(before)
	return a, nil
}

// SendMessage shows text to the user at once; a question makes the turn end waiting.
func (r *run) SendMessage(_ context.Context, text string, isQuestion bool) error {
	r.say(text, isQuestion, nil)
	return nil
}

// AskUser asks a question with options; the turn ends waiting.
func (r *run) AskUser(_ context.Context, question string, options []string) error {
	r.say(question, true, options)
	return nil
}

// SetTasks shows the agent's steps.
func (r *run) SetTasks(_ context.Context, items []tools.TaskItem) error {
	r.tasks = items
	r.Emit(event.TaskList{Meta: r.meta(), Items: items})
	return nil
}

// EndConversation ends the conversation, once the turn's answer is on record.
func (r *run) EndConversation(string) { r.out.Ends = true }

// say shows an agent message and records it.
func (r *run) say(text string, isQuestion bool, options []string) {
	e := event.AgentMessage{Meta: r.meta(), Content: text, IsQuestion: isQuestion, Options: options}
	r.out.Record = append(r.out.Record, conversation.Message{Role: conversation.RoleAgent, Time: e.Time, Content: text, IsQuestion: isQuestion})
	r.told = true
	if isQuestion {
		r.out.Question, r.out.Options = text, options
	}
	r.Emit(e)
}

var errToolUnattended = errors.New("the first call of another program's tool needs the user's consent, and there is no way to ask for it here; the user can allow it permanently in the chat")

// AllowTool decides about the first call of another program's tool. It is refused if the user cannot be asked or the
// message was routed.
func (r *run) AllowTool(ctx context.Context, c tools.Proposal, why string) (always bool, err error) {
	p, t := r.proc, r.of
	switch {
	case t == nil:
		return false, errToolUnattended
	case t.answerable() && p.approval.allows(t.conv.ID, c):
		return false, nil
	}
	a, err := p.decide(ctx, t, event.Request{Kind: event.RequestApproval, Change: c, Text: why}, r.asker(), errToolUnattended)
	return a.Decision == event.AllowAlways, err
}

// AskValue asks the user for a value on behalf of another program; ok is false if they do not give one.
func (r *run) AskValue(ctx context.Context, name, why string) (value string, ok bool, err error) {
	if !r.asks() {
		return "", false, nil
	}
	a, err := r.proc.ask(ctx, r.of, event.Request{Kind: event.RequestSetting, Name: name, Text: why})
	if err != nil || a.Decision != event.Provide {
		return "", false, err
	}
	return a.Value, true, nil
}

// Tell publishes a notice.
func (p *Processor) Tell(line string) {
	p.bus.Publish(event.Notice{Meta: event.Meta{Time: time.Now()}, Text: line})
}

// Supplier gets from the user what a provider cannot work without: its key, or the name of a
// model.
type Supplier interface {
	// Lacks returns the request to which an answer may make the call succeed that failed with err; false if there is
	// none. Its Text explains why it is asked, in the provider's words, and how the value is used.
	Lacks(p llm.Provider, err *llm.Error) (event.Request, bool)
	// Supply gives the typed value to the provider for its next call. said is shown to the user. The error says why
	// the value is not accepted. Neither contains the value.
	Supply(ctx context.Context, p llm.Provider, q event.Request, value string) (said string, err error)
}

// maxSupplied bounds how often a turn asks for what its provider lacks.
const maxSupplied = 3

// supply asks the user for what the provider lacks that failed; true when the call may now
// succeed. What the turn did so far stays, and is not done again.
func (r *run) supply(ctx context.Context, err error) bool {
	if !r.asks() || r.proc.opt.Supplier == nil {
		return false
	}
	supplier := r.proc.opt.Supplier
	e := llm.AsError(err)
	q, ok := supplier.Lacks(r.Provider, e)
	if ok {
		r.said = "" // what was typed before is refused
	}
	for ok && r.supplied < maxSupplied {
		r.supplied++
		a, err := r.ask(ctx, q)
		if err != nil || a.Decision != event.Provide {
			return false
		}
		said, err := supplier.Supply(ctx, r.Provider, q, a.Value)
		if ctx.Err() != nil {
			return false
		}
		if err == nil {
			r.said = said
			r.retrying(2, 0, e)
			return true
		}
		r.Log.Warn("what was typed for the provider was not accepted", "turn", r.TurnID, "name", q.Name, "error", err)
		if again, lacks := supplier.Lacks(r.Provider, e); lacks {
			q = again
		}
		q.Text = "Not accepted: " + err.Error() + ".\n" + q.Text
	}
	return false
}
