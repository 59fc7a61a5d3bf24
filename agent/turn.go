package agent

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"chatvault/agent/event"
	"chatvault/agent/goal"
	"chatvault/agent/history"
	"chatvault/agent/inbox"
	"chatvault/agent/llm"
	"chatvault/agent/pending"
	"chatvault/agent/prompts"
	"chatvault/conversation"
	"chatvault/internal/failpoint"
	"chatvault/internal/text"
	"chatvault/tools"
)

// turn is the life of one message, or of several that piled up.
type turn struct {
	id       string
	entries  []inbox.Entry
	started  time.Time
	provider llm.Provider
	ctx      context.Context
	cancel   context.CancelCauseFunc
	conv     *conversation.Conversation // at the start of the turn
	convID   string                     // its id; read and written with the processor's lock
	began    bool                       // it began the conversation
	messages []conversation.Message     // the user's
	answered bool                       // it is on record already
	closed   bool                       // nothing is folded in any more
	plan     planStep
	setGoal  bool           // it begins with a goal that was just set, which answers no question
	goal     goal.Run       // worked toward when it began
	tools    []prompts.Tool // as the prompts show them
	halted   bool           // the goal knows that it was stopped
	external external       // notes changed by other programs
	keep     *keeper        // nil: it has not begun
	notes    pending.Notes  // told in the prompt
	compact  bool           // it has the compact prompt
}

// work is the worker: it runs turns until the processor is closed.
func (p *Processor) work() {
	defer close(p.done)
	for {
		if do, t := p.nextBetween(); do != nil {
			do(t)
			t.cancel(nil)
			continue
		}
		t := p.next()
		if t == nil {
			t = p.stepTowardGoal()
		}
		if t == nil {
			p.tasks.Poke()
			select {
			case <-p.wake:
				continue
			case <-p.ctx.Done():
				return
			}
		}
		failpoint.Pass("round agent worker")
		p.process(t)
		t.cancel(nil)
	}
}

// next begins a turn with what waits; nil when nothing does or the processor is closed.
func (p *Processor) next() *turn {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || p.draining || len(p.queue) == 0 {
		return nil
	}
	p.endGoalStep()
	return p.take()
}

// take begins a turn with the first of what waits, with p.mu held.
func (p *Processor) take() *turn {
	n := batch(p.queue)
	t := &turn{entries: p.queue[:n:n]}
	p.queue = append([]inbox.Entry(nil), p.queue[n:]...)
	t.id = t.entries[0].ID
	return p.starts(t)
}

// starts has the worker be at a turn, with p.mu held; one without messages is a compaction or a job.
func (p *Processor) starts(t *turn) *turn {
	t.started, t.provider = time.Now(), p.provider
	t.ctx, t.cancel = context.WithCancelCause(p.ctx)
	p.running = t
	p.tasks.Yield()
	return t
}

// process runs a turn. A panic in it fails the turn, not the program.
func (p *Processor) process(t *turn) {
	p.bus.Publish(event.TurnStarted{Meta: t.meta(), MessageIDs: t.messageIDs(), Provider: t.provider.Name()})
	if err := context.Cause(t.ctx); err != nil { // stopped as it began
		p.finish(t, Outcome{}, err)
		return
	}
	p.step("started")
	out, err := p.run(t)
	p.finish(t, out, err)
}

// run does the turn up to its outcome: conversation, prompt, agent.
func (p *Processor) run(t *turn) (out Outcome, err error) {
	defer caught(p.opt.Log, t.id, &err)
	if done, err := p.answered(t.entries[0]); done || err != nil {
		t.answered = done // recorded, but the process ended before the inbox was cleaned
		return Outcome{Reason: event.StopCompleted}, err
	}
	if err := p.begin(t); err != nil {
		return Outcome{}, err
	}
	if t.conv.Has(t.id) { // delivered again after it was answered and cleaned up
		t.answered = true
		return Outcome{Reason: event.StopCompleted}, nil
	}
	p.step("begun")
	if t.plan == planDeclined {
		return p.declinePlan(t), nil
	}
	// The built-in prompt is constant in a conversation unless the owner's instructions change; a vault's own prompt
	// may vary from turn to turn.
	name := prompts.System
	if t.compact {
		name = prompts.SystemCompact
	}
	system, err := p.turnPrompt(t, name, nil)
	if err != nil {
		return Outcome{}, err
	}
	before, past := history.Of(p.sendable(t.conv))
	messages := slices.Concat([]llm.Message{{Role: llm.RoleSystem, Content: system}}, before, history.Messages(t.messages))
	task := Task{
		TurnID: t.id, History: messages, Past: past, Tools: p.opt.Tools, Emit: p.bus.Publish, Meter: p.accounts.Meter(t.conv.ID),
		Conversation: t.conv.ID, CacheKey: t.conv.ID, proc: p, of: t,
	}
	if p.keptOf == t.conv.ID {
		task.kept = p.kept
	} else if n := len(t.conv.Turns); n > 0 {
		task.kept = t.conv.Turns[n-1].Shortened
	}
	if t.plan.planning() {
		task.Purpose = llm.PurposePlan
	}
	if t.compact {
		task.small = p.smallTurn(t, messages)
	}
	t.keep = &keeper{p.opt.Conversations.Artifacts(), t.conv.ID, t.id, p.bus.Publish}
	a := p.agent(t)
	if from, to := t.provider.Name(), a.Provider.Name(); from != to {
		p.bus.Publish(event.FellBack{Meta: t.meta(), From: from, To: to, Earlier: true})
	}
	out, err = a.Run(tools.WithRequest(t.ctx, p.request(t)), task)
	p.keptOf, p.kept = t.conv.ID, out.Shortened
	if back := t.provider.Name(); out.Answered && out.Provider == back {
		if _, failed := p.outages.LoadAndDelete(back); failed {
			p.bus.Publish(event.Notice{Meta: t.meta(), Text: back + " answers again."})
		}
	}
	return out, err
}

// request returns the origin of the turn's changes.
func (p *Processor) request(t *turn) tools.Request {
	title, _, _ := strings.Cut(strings.TrimSpace(t.messages[len(t.messages)-1].Content), "\n")
	return tools.Request{Turn: t.id, Source: p.opt.Name, Title: title, Conversation: t.conv.ID}
}

// panicked logs a panic in a turn and makes an error of it.
func panicked(log *slog.Logger, turn string, v any) error {
	log.Error("panic in a turn", "turn", turn, "panic", v, "stack", string(debug.Stack()))
	return fmt.Errorf("internal error: %v (details are in the log, chatvault.log in the vault's state folder)", v)
}

// caught makes an error of a panic in the function that defers it.
func caught(log *slog.Logger, turn string, err *error) {
	if v := recover(); v != nil {
		*err = panicked(log, turn, v)
	}
}

// begin finds the conversation, makes the user's messages, and counts the attempt.
func (p *Processor) begin(t *turn) error {
	if err := p.enter(t); err != nil {
		return err
	}
	if p.opt.News != nil {
		if news := p.opt.News(); news != "" {
			p.bus.Publish(event.Notice{Meta: t.meta(), Text: news})
		}
	}
	compact := p.opt.Prompt.CompactFor(t.ctx, t.provider) // before anything is attached: the window is known then
	for _, e := range t.entries {
		m := userMessage(e)
		m.Attached = p.attach(t, e.Inbound)
		t.messages = append(t.messages, m)
	}
	p.tellAttached(t, t.messages)
	if t.plan = planFor(t.conv, t.inbound(), p.Approval() == event.ApprovalPlan); t.setsGoal(p.goal.Get()) {
		t.plan, t.setGoal = planNone, true
	}
	if t.plan != planDeclined {
		p.resumeBy(t)
	}
	p.pauseGoalOfOther(t)
	p.awaitTools(t)
	t.compact = compact && !t.plan.planning()
	t.tools = prompts.Tools(p.toolsNow())
	t.messages[len(t.messages)-1].Context = p.context(t)
	return p.mark(t, false, func(e *inbox.Entry) {
		e.Attempts++
		e.Deaths++
		e.LastError, e.LastTried, e.Reported = "", t.started, false
		e.Conversation, e.After = t.conv.ID, t.conv.LastTurn()
	})
}

// mark changes the inbox entries of a turn. If durable is false, the change may be lost in a power failure.
func (p *Processor) mark(t *turn, durable bool, change func(*inbox.Entry)) error {
	for i := range t.entries {
		change(&t.entries[i])
		if err := p.inbox.Update(t.entries[i], durable); err != nil {
			return fmt.Errorf("the inbox could not be written: %w", err)
		}
	}
	return nil
}

func (t *turn) meta() event.Meta { return event.Meta{TurnID: t.id, Time: time.Now()} }

func (t *turn) messageIDs() []string {
	return text.Of(t.entries, func(e inbox.Entry) string { return e.ID })
}

// cutBy reports whether the turn was canceled with a cause.
func (t *turn) cutBy(cause error) bool { return errors.Is(context.Cause(t.ctx), cause) }

// agent returns the agent for a turn.
func (p *Processor) agent(t *turn) Agent {
	line, a := p.providerOrder(t), p.opt.Agent
	a.Provider, a.Fallback, a.windowOf, a.learned = line[0], line[1:], t.provider, &p.learned
	return a
}
