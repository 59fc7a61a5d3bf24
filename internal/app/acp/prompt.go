package acp

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	protocol "github.com/coder/acp-go-sdk"

	"chatvault/agent/event"
	"chatvault/internal/app/session"
)

// prompt is a running prompt: a message of the editor and what follows until the editor may send the next. A goal has
// further turns.
type prompt struct {
	id        string      // of the message; empty while a command runs
	attach    []string    // paths that the message attaches
	turn      string      // its turn; empty if not in one yet
	held      event.Event // how a turn for a goal ended
	cancelled bool
	ended     chan event.Event // receives the last event; nil if there is nothing more to wait for
}

func (p *prompt) end(e event.Event) {
	select {
	case p.ended <- e:
	default:
	}
}

// last returns the final event of a prompt that ends with e unless it was cancelled.
func (p *prompt) last(e event.Event) event.Event {
	if p.cancelled {
		return event.TurnStopped{}
	}
	return e
}

func (s *server) prompt(ctx context.Context, r protocol.PromptRequest) (protocol.PromptResponse, error) {
	c, err := s.known(r.SessionId)
	var p *prompt
	if err == nil {
		p, err = c.claim()
	}
	s.order.done() // a later cancel finds the prompt
	if err != nil {
		return protocol.PromptResponse{}, err
	}
	defer c.release()
	last, err := c.work(ctx, p, c.message(ctx, r.Prompt))
	if err != nil {
		return protocol.PromptResponse{}, err
	}
	reason, err := ended(last)
	return protocol.PromptResponse{StopReason: reason}, err
}

// cancel stops what is running in a session.
func (s *server) cancel(_ context.Context, r protocol.CancelNotification) (struct{}, error) {
	defer s.order.done() // a later prompt is not cancelled
	if c := s.chat(r.SessionId); c != nil {
		c.cancel()
	}
	return struct{}{}, nil
}

// cancel stops what is running or about to run.
func (c *chat) cancel() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if p := c.prompt; p != nil {
		p.cancelled = true
		if p.id != "" && p.turn == "" {
			if _, ok := c.TakeBack(p.id); ok {
				p.end(event.TurnStopped{})
				return
			}
		}
	}
	c.Stop()
}

// ended returns the stop reason of a prompt for its last event.
func ended(last event.Event) (protocol.StopReason, error) {
	switch e := last.(type) {
	case event.TurnStopped:
		return protocol.StopReasonCancelled, nil
	case event.TurnFailed:
		return "", errors.New(e.Text + "\nThe message is kept: /retry tries it again.")
	case event.TurnFinished:
		switch e.StopReason {
		case event.StopRefused:
			return protocol.StopReasonRefusal, nil
		case event.StopLength, event.StopCut:
			return protocol.StopReasonMaxTokens, nil
		case event.StopToolLimit, event.StopLoop, event.StopNoProgress, event.StopBudget:
			return protocol.StopReasonMaxTurnRequests, nil
		}
	}
	return protocol.StopReasonEndTurn, nil
}

// errBusy is returned for a prompt while another one is running.
var errBusy = errors.New("the session works on another prompt: wait for its end, or cancel it")

// claim makes a new prompt the current one. It returns an error if another one is running.
func (c *chat) claim() (*prompt, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.prompt != nil {
		return nil, errBusy
	}
	c.prompt = &prompt{ended: make(chan event.Event, 1)}
	return c.prompt, nil
}

// release ends the current prompt.
func (c *chat) release() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.prompt = nil
}

// work runs the message of a prompt and returns its last event, or nil if there was no turn and no cancel.
func (c *chat) work(ctx context.Context, p *prompt, m event.Inbound) (event.Event, error) {
	waits, ok, err := c.typed(ctx, p, m)
	if !ok {
		waits, err = true, c.submit(ctx, p, m)
	}
	if err != nil {
		return nil, err
	}
	if !waits {
		c.mu.Lock()
		defer c.mu.Unlock()
		return p.last(nil), nil
	}
	return c.await(ctx, p)
}

// submit sends a message to the agent, according to the mode.
func (c *chat) submit(ctx context.Context, p *prompt, m event.Inbound) error {
	c.server.indexes(c)
	c.listModels()
	// Hold the lock so that no event of the message is handled before its ID is known.
	c.mu.Lock()
	defer c.mu.Unlock()
	if p.cancelled {
		p.end(event.TurnStopped{})
		return nil
	}
	if c.Approval() == event.ApprovalPlan && !c.state.Question.Asked { // an answer to a plan decides about it
		m.Mode = event.ModePlan
	}
	m.Text = answered(c.state.Question, m.Text)
	m.Source, m.Hold = event.SourceDirect, true
	got, err := c.Submit(ctx, m)
	if err != nil {
		return err
	}
	p.id = got.ID
	c.state.Submitted(got)
	return nil
}

// answered returns the last line of a text if that alone chooses an answer to the open question: an editor may put
// the open file before what was typed.
func answered(q session.Question, text string) string {
	trimmed := strings.TrimRight(text, " \n")
	last := trimmed[strings.LastIndexByte(trimmed, '\n')+1:]
	if _, ok := event.ChosenOption(last, q.Options); ok && q.Asked {
		return last
	}
	return text
}

// goalLook is how often a goal is checked while no event reports on it.
const goalLook = 2 * time.Second

// await waits for the end of a prompt.
func (c *chat) await(ctx context.Context, p *prompt) (event.Event, error) {
	done := ctx.Done()
	look := time.NewTicker(goalLook)
	defer look.Stop()
	for {
		select {
		case last := <-p.ended:
			return last, nil
		case <-done: // the editor cancels its request, or is gone
			done = nil
			if !c.server.connected() {
				return nil, context.Cause(ctx)
			}
			c.cancel()
		case <-look.C:
			c.mu.Lock()
			held, last := p.held, p.last(p.held)
			c.mu.Unlock()
			if held != nil && !c.GoesOn() {
				return last, nil
			}
		case <-c.ctx.Done():
			return nil, errors.New("the session was closed")
		}
	}
}

// prompted updates the prompt for an event. c.mu must be held.
func (c *chat) prompted(e event.Event) {
	p := c.prompt
	if p == nil {
		return
	}
	switch e := e.(type) {
	case event.TurnStarted:
		if p.id == "" || p.held != nil || slices.Contains(e.MessageIDs, p.id) {
			p.turn, p.held = e.TurnID, nil
			if p.cancelled {
				c.Stop() // it was cancelled before there was anything to stop
			}
		}
	case event.GoalChanged:
		if p.held != nil && !e.Goal.InProgress() {
			p.end(p.last(p.held))
		}
	case event.TurnFinished:
		switch {
		case e.TurnID != p.turn:
		case !e.IsWaitingForResponse && c.state.Goal.InProgress():
			p.held = e
		default:
			p.end(e)
		}
	case event.TurnStopped, event.TurnFailed:
		if e.Header().TurnID == p.turn {
			p.end(e)
		}
	case event.Compacted, event.CompactFailed, event.Notice:
		if p.id == "" && p.turn == "" && e.Header().TurnID == "" {
			p.end(p.last(nil))
		}
	}
}
