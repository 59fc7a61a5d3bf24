package agent

import (
	"errors"
	"fmt"
	"time"

	"chatvault/agent/event"
	"chatvault/agent/history"
	"chatvault/agent/llm"
	"chatvault/conversation"
)

// nothingToCompact answers Compact where the conversation is new, or nothing was said since it
// was last compacted.
const nothingToCompact = "There is nothing to compact yet."

// Compact replaces, for the model, what was said so far in the active conversation by a summary,
// as soon as no turn runs; messages that wait are worked on after it. What came of it is told by
// a Compacted, a CompactFailed or a Notice. Stop ends it. The error says that the program ends.
func (p *Processor) Compact() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return errors.New("the program is ending")
	}
	p.compact = true
	p.wakeWorker()
	return nil
}

// compactNow does what Compact promises.
func (p *Processor) compactNow(t *turn) {
	last, err := p.compactActive(t)
	switch {
	case t.ctx.Err() != nil && last == nil:
		last = event.CompactFailed{Meta: t.meta()} // stopped, or the program ends
	case err != nil && last == nil:
		p.opt.Log.Error("compaction failed", "error", err)
		last = event.CompactFailed{Meta: t.meta(), Text: err.Error()}
	}
	p.accounts.Flush(t.meta())
	p.end(last)
}

// compactActive compacts the active conversation and returns the event that says what came of
// it, if the compaction itself could say so.
func (p *Processor) compactActive(t *turn) (last event.Event, err error) {
	defer func() {
		if v := recover(); v != nil {
			last, err = nil, panicked(p.opt.Log, "compaction", v)
		}
	}()
	release, err := p.lockTurn(t.ctx, func(who string) {
		p.bus.Publish(event.Notice{Meta: t.meta(), Text: "Waiting for " + who + " to end its turn."})
	})
	if err != nil {
		return nil, err
	}
	defer release()
	conv, err := p.opt.Conversations.Active()
	if err != nil {
		return nil, fmt.Errorf("the conversation could not be opened: %w", err)
	}
	p.mu.Lock()
	begun := p.nextBegins()
	p.mu.Unlock()
	if conv == nil || begun || conv.Compacted() == len(conv.Turns) {
		return event.Notice{Meta: t.meta(), Text: nothingToCompact}, nil
	}
	t.conv = conv
	messages, past := history.Of(p.sendable(conv))
	if n := len(past); n == 0 || past[n-1].Summary != "" {
		return event.Notice{Meta: t.meta(), Text: nothingToCompact}, nil
	}
	p.awaitTools(t)
	agent := p.agent(t)
	r := agent.begin(Task{
		History: messages, Past: past, Purpose: llm.PurposeCompact, Tools: p.opt.Tools,
		Meter: p.accounts.Meter(conv.ID), proc: p, of: t,
		Emit: func(e event.Event) {
			switch e.(type) {
			case event.StateChanged, event.Retry: // of a turn, and there is none
			case event.Compacted, event.CompactFailed:
				last = e // told when the processor is free again
			default:
				p.bus.Publish(e)
			}
		},
	})
	err = r.compactTurns(t.ctx, len(past), r.room(), 0)
	return last, err
}

// recordSummary records that a summary stands for the turns up to one in a turn's conversation. Where a turn
// that needs it cannot, it stands for that turn at least.
func (p *Processor) recordSummary(t *turn, through, summary string) error {
	err := p.opt.Conversations.Compact(t.conv.ID, conversation.Compaction{Through: through, Summary: summary, Time: time.Now()})
	if err == nil {
		p.step("compacted")
		return nil
	}
	err = fmt.Errorf("the summary could not be recorded in the conversation: %w", err)
	if len(t.entries) == 0 { // it was asked for: there is nothing else to do
		return err
	}
	p.warn(t.meta(), "The next turn will need another summary", err)
	return nil
}
