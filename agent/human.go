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

// newID is the id of the next request of a turn.
func (q *requests) newID(turn string) string { return fmt.Sprintf("%s-r%d", turn, q.asked.Add(1)) }

// begin makes a request one that can be answered, under an id of its own.
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

// Answer answers the request with this id; an error when nobody waits for it any more, or when
// the answer is none to a request of its kind: it then goes on waiting.
func (p *Processor) Answer(id string, a event.Answer) error { return p.requests.take(id, a) }

// answerable says whether the user of this program may decide for the turn: who sent a routed message may not.
func (t *turn) answerable() bool {
	return len(t.entries) > 0 && (t.entries[0].Source == event.SourceDirect || t.entries[0].Source == event.SourceGoal)
}

// asks says whether somebody can be asked who may decide for the run's turn.
func (r *run) asks() bool { return r.of != nil && r.proc.opt.Attended && r.of.answerable() }

// asker asks the user; nil where nobody can be asked.
func (r *run) asker() askFunc {
	if !r.asks() {
		return nil
	}
	return r.ask
}

// ask puts a request to the user and waits. When the turn is stopped or the program ends, the
// request is withdrawn, even one that was answered in the same moment: the error is the cause.
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

// ask puts a request to the user: the turn waits for a decision, and goes on where it was. It
// is called from the turn's own goroutine.
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

var errToolUnattended = errors.New("the first call of another program's tool needs the user's consent, and nobody can be asked here; the user can allow it permanently in the chat")

// AllowTool decides about a tool of another program: each is asked about at its first call. Nobody who is
// not there, and nobody who sent a message from elsewhere, allows one.
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

// Tell tells the user something in a line, between turns or in one.
func (p *Processor) Tell(line string) {
	p.bus.Publish(event.Notice{Meta: event.Meta{Time: time.Now()}, Text: line})
}

// Supplier gets from the user what a provider cannot work without: its key, or the name of a
// model.
type Supplier interface {
	// Lacks says what to ask for, so that a call that failed with err may succeed; false where
	// nothing the user could type would help. The Text of the request says why it is asked, in
	// the provider's words, and what becomes of what is typed.
	Lacks(p llm.Provider, err *llm.Error) (event.Request, bool)
	// Supply takes what was typed and gives it to the provider: its next call uses it. said is
	// told to the user. An error says why it is not taken; neither repeats it.
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
