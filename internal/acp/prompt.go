package acp

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	protocol "github.com/coder/acp-go-sdk"

	"chatvault/agent/event"
	"chatvault/internal/session"
)

// prompt is one that is under way: a message of the editor's, and what follows from it until the editor
// may send the next. A goal has further turns.
type prompt struct {
	id        string      // of the message; empty: a command's own work is waited for
	turn      string      // that it is in; empty: in none yet
	held      event.Event // how a turn toward a goal ended
	cancelled bool
	ended     chan event.Event // holds the last event; nil: there is nothing more to wait for
}

func (p *prompt) end(e event.Event) {
	select {
	case p.ended <- e:
	default:
	}
}

// last is how a prompt toward a goal ends where nothing more follows; nil: a turn is under way.
func (p *prompt) last() event.Event {
	if p.held != nil && p.cancelled {
		return event.TurnStopped{}
	}
	return p.held
}

// done is how a command's own work ends.
func (p *prompt) done() event.Event {
	if p.cancelled {
		return event.TurnStopped{}
	}
	return nil
}

func (s *server) prompt(ctx context.Context, r protocol.PromptRequest) (protocol.PromptResponse, error) {
	cancelled := s.order.begins(r.SessionId)
	c, err := s.known(r.SessionId)
	if err != nil {
		return protocol.PromptResponse{}, err
	}
	if cancelled {
		return protocol.PromptResponse{StopReason: protocol.StopReasonCancelled}, nil
	}
	for m := c.message(ctx, r.Prompt); ; {
		last, err := c.work(ctx, m)
		if err != nil {
			return protocol.PromptResponse{}, err
		}
		if form, asked := c.question(last); asked {
			answer, cancelled := c.elicit(ctx, form)
			if cancelled {
				return protocol.PromptResponse{StopReason: protocol.StopReasonCancelled}, nil
			}
			if answer != "" {
				m = event.Inbound{Text: answer}
				continue
			}
		}
		reason, err := ended(last)
		return protocol.PromptResponse{StopReason: reason}, err
	}
}

// cancel stops what runs in a session.
func (s *server) cancel(_ context.Context, r protocol.CancelNotification) (struct{}, error) {
	if c := s.chat(r.SessionId); c != nil {
		c.cancel()
	}
	return struct{}{}, nil
}

// cancel stops what is worked on, or is about to be.
func (c *chat) cancel() {
	c.mu.Lock()
	p := c.prompt
	if p != nil {
		p.cancelled = true
	}
	if c.withdraw != nil {
		c.withdraw()
	}
	c.mu.Unlock()
	if p != nil && p.id != "" && p.turn == "" {
		if _, ok := c.TakeBack(p.id); ok {
			p.end(event.TurnStopped{})
			return
		}
	}
	c.Stop()
}

// ended is the stop reason of a prompt by its last event.
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

// errBusy refuses a prompt while another one is worked on.
var errBusy = errors.New("the session works on another prompt: wait for its end, or cancel it")

// work does what a message asks for, and is the last event of it; nil: there was no turn.
func (c *chat) work(ctx context.Context, m event.Inbound) (event.Event, error) {
	p := &prompt{ended: make(chan event.Event, 1)}
	c.mu.Lock()
	if c.prompt != nil {
		c.mu.Unlock()
		return nil, errBusy
	}
	c.prompt = p
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		c.prompt = nil
		c.mu.Unlock()
	}()
	waits, err := c.begun(ctx, p, m)
	if err != nil || !waits {
		return nil, err
	}
	return c.await(ctx, p)
}

// begun begins what a message asks for; not waits: that was all.
func (c *chat) begun(ctx context.Context, p *prompt, m event.Inbound) (waits bool, err error) {
	if reply, ok := c.typed(ctx, m.Text); ok {
		return c.reply(ctx, p, m, reply)
	}
	return true, c.submit(ctx, p, m)
}

// submit sends a message to the agent, as the mode wants it.
func (c *chat) submit(ctx context.Context, p *prompt, m event.Inbound) error {
	c.server.indexes(c)
	// What happens with the message is taken once its id is known.
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.mode == modePlan && !c.state.Question.Asked { // an answer to a plan decides about it
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

// answered is the last line of a text where that alone chooses an answer to the question that waits: an editor may
// put what is open in it before what was typed.
func answered(q session.Question, text string) string {
	trimmed := strings.TrimRight(text, " \n")
	last := trimmed[strings.LastIndexByte(trimmed, '\n')+1:]
	if _, ok := event.ChosenOption(last, q.Options); ok && q.Asked {
		return last
	}
	return text
}

// goalLook is how often a goal is looked at while nothing is said of it.
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
		case <-done: // the editor takes its request back, or is gone
			done = nil
			if !c.server.connected() {
				return nil, context.Cause(ctx)
			}
			c.cancel()
		case <-look.C:
			c.mu.Lock()
			held := p.last()
			c.mu.Unlock()
			if g := c.Goal(); held != nil && (!g.InProgress() || g.Status == event.GoalActive && !c.Busy()) {
				return held, nil
			}
		case <-c.ctx.Done():
			return nil, errors.New("the session was closed")
		}
	}
}

// prompted follows a prompt, with c.mu held.
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
				c.Stop() // it was told to when there was nothing to stop yet
			}
		}
	case event.GoalChanged:
		if p.held != nil && !e.Goal.InProgress() {
			p.end(p.last())
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
		if failed, ok := e.(event.TurnFailed); ok {
			c.views.Failed(c.ctx, failed.MessageIDs)
		}
	case event.Compacted, event.CompactFailed, event.Notice:
		if p.id == "" && p.turn == "" && e.Header().TurnID == "" {
			p.end(p.done())
		}
	}
}
