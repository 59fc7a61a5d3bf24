package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"chatvault/tools"
)

// maxNote bounds what a user says to a refusal, in runes: it goes to the model.
const maxNote = 2000

// requests are those that wait for the user. Several may wait at once; each is answered at
// most once.
type requests struct {
	mu    sync.Mutex
	asked int
	open  map[string]*waiting
}

// waiting is a request under way.
type waiting struct {
	Request
	answer chan Answer // holds the one answer
}

// begin makes a request one that can be answered, under an id of its own.
func (q *requests) begin(turn string, r Request) (id string, w *waiting) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.asked++
	id = fmt.Sprintf("%s-r%d", turn, q.asked)
	w = &waiting{Request: r, answer: make(chan Answer, 1)}
	if q.open == nil {
		q.open = map[string]*waiting{}
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
func (q *requests) take(id string, a Answer) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	w := q.open[id]
	if w == nil {
		return errors.New("nobody waits for this answer any more")
	}
	a, err := a.checked(w.Request)
	if err != nil {
		return err
	}
	delete(q.open, id)
	w.answer <- a
	return nil
}

// checked is the answer as the turn gets it; an error where it does not answer the request.
func (a Answer) checked(r Request) (Answer, error) {
	fits := a.Decision == Deny
	switch r.Kind {
	case RequestApproval:
		fits = fits || a.Decision == AllowOnce || a.Decision == AllowConversation
		a.Value = ""
		if err := a.pick(r.Change); err != nil {
			return a, err
		}
	default:
		fits = fits || a.Decision == Provide
		if a.Value = strings.TrimSpace(a.Value); a.Decision == Provide && a.Value == "" {
			return a, errors.New("nothing was typed")
		}
	}
	if !fits {
		return a, fmt.Errorf("%q is no answer to a request of the kind %q", a.Decision, r.Kind)
	}
	if note := []rune(strings.TrimSpace(a.Note)); len(note) > maxNote {
		a.Note = string(note[:maxNote-1]) + "…"
	} else {
		a.Note = string(note)
	}
	return a, nil
}

// pick checks which parts of a change are taken: those it has, each once, in order. Where none
// are, it is denied.
func (a *Answer) pick(c tools.Proposal) error {
	if a.Decision == Deny || a.Hunks == nil {
		a.Hunks = nil
		return nil
	}
	if !c.Pick {
		return errors.New("this change can only be taken as a whole")
	}
	a.Hunks = slices.Compact(slices.Sorted(slices.Values(a.Hunks)))
	for _, i := range a.Hunks {
		if i < 0 || i >= len(c.Prose.Hunks) {
			return fmt.Errorf("the change has %d parts: there is no part %d", len(c.Prose.Hunks), i+1)
		}
	}
	switch len(a.Hunks) {
	case 0:
		a.Decision, a.Hunks = Deny, nil
	case len(c.Prose.Hunks):
		a.Hunks = nil
	}
	return nil
}

// Answer answers the request with this id; an error when nobody waits for it any more, or when
// the answer is none to a request of its kind: it then goes on waiting.
func (p *Processor) Answer(id string, a Answer) error { return p.requests.take(id, a) }

// asker puts a turn's requests to the user; nil where nobody can answer them: nobody is
// there, or the message was routed, and who sent it is not who may decide.
func (p *Processor) asker(t *turn) func(context.Context, Request) (Answer, error) {
	if !p.opt.Attended || !t.answerable() {
		return nil
	}
	return func(ctx context.Context, r Request) (Answer, error) { return p.ask(ctx, t, r) }
}

// answerable says whether the user of this program may decide for the turn.
func (t *turn) answerable() bool {
	switch t.entries[0].Source {
	case SourceDirect, SourceGoal:
		return true
	}
	return false
}

// ask puts a request to the user and waits. When the turn is stopped or the program ends, the
// request is withdrawn, even one that was answered in the same moment: the error is the cause.
func (p *Processor) ask(ctx context.Context, t *turn, r Request) (a Answer, err error) {
	if ctx.Err() != nil {
		return Answer{}, context.Cause(ctx)
	}
	id, w := p.requests.begin(t.id, r)
	r.ID = id
	ended := RequestEnded{ID: id, Decision: Withdrawn}
	defer func() {
		p.requests.end(id)
		ended.Meta = t.meta()
		p.bus.publish(ended)
	}()
	p.bus.publish(Requested{t.meta(), r})
	select {
	case a = <-w.answer:
	case <-ctx.Done():
	}
	if ctx.Err() != nil {
		return Answer{}, context.Cause(ctx)
	}
	ended.Decision, ended.Hunks = a.Decision, a.Hunks
	return a, nil
}

// ask puts a request to the user: the turn waits for a decision, and goes on where it was. It
// is called from the turn's own goroutine.
func (r *run) ask(ctx context.Context, q Request) (Answer, error) {
	before, began := r.state, time.Now()
	r.to(StateWaitingDecision)
	a, err := r.Ask(ctx, q)
	r.waited += time.Since(began)
	if err != nil {
		return Answer{}, err
	}
	r.to(before)
	return a, nil
}
