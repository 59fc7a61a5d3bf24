package agent

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"chatvault/agent/event"
)

// requests are those that wait for the user. Several may wait at once; each is answered at
// most once.
type requests struct {
	mu    sync.Mutex
	asked int
	open  map[string]*pendingRequest
}

// pendingRequest is a request under way.
type pendingRequest struct {
	event.Request
	answer chan event.Answer // holds the one answer
}

// begin makes a request one that can be answered, under an id of its own.
func (q *requests) begin(turn string, r event.Request) (id string, w *pendingRequest) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.asked++
	id = fmt.Sprintf("%s-r%d", turn, q.asked)
	w = &pendingRequest{Request: r, answer: make(chan event.Answer, 1)}
	if q.open == nil {
		q.open = map[string]*pendingRequest{}
	}
	q.open[id] = w
	return id, w
}

// end makes a request one that nobody can answer any more.
func (q *requests) end(id string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.open, id)
}

// take gives a request its answer.
func (q *requests) take(id string, a event.Answer) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	w := q.open[id]
	if w == nil {
		return errors.New("nobody is waiting for this answer any more")
	}
	a, err := a.Checked(w.Request)
	if err != nil {
		return err
	}
	delete(q.open, id)
	w.answer <- a
	return nil
}

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

// request puts a request to the user, and keeps no other turn away meanwhile.
func (r *run) request(ctx context.Context, q event.Request) (event.Answer, error) {
	return r.proc.unlockedWhile(ctx, r.of, func() (event.Answer, error) { return r.proc.ask(ctx, r.of, q) })
}

// ask puts a request to the user and waits. When the turn is stopped or the program ends, the
// request is withdrawn, even one that was answered in the same moment: the error is the cause.
func (p *Processor) ask(ctx context.Context, t *turn, r event.Request) (a event.Answer, err error) {
	if ctx.Err() != nil {
		return event.Answer{}, context.Cause(ctx)
	}
	id, w := p.requests.begin(t.id, r)
	r.ID = id
	ended := event.RequestEnded{ID: id, Decision: event.Withdrawn}
	defer func() {
		p.requests.end(id)
		ended.Meta = t.meta()
		p.bus.Publish(ended)
	}()
	p.bus.Publish(event.Requested{Meta: t.meta(), Request: r})
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
	a, err := r.request(ctx, q)
	r.waited += time.Since(began)
	if err != nil {
		return event.Answer{}, err
	}
	r.to(before)
	return a, nil
}
