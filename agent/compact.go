package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"chatvault/agent/event"
	"chatvault/agent/history"
	"chatvault/agent/llm"
	"chatvault/agent/memory"
	"chatvault/agent/window"
	"chatvault/conversation"
)

// nothingToCompact answers Compact if the conversation is new, or nothing was said since it was last compacted.
const nothingToCompact = "There is nothing to compact yet."

// Compact replaces the active conversation so far by a summary for the model, as soon as no turn runs. The result is
// a Compacted, a CompactFailed or a Notice event. Stop cancels it. It returns an error if the program is ending.
func (w *worker) Compact() error {
	if w.ctx.Err() != nil {
		return errShutdown
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.jobs = append(w.jobs, w.compactJob)
	w.wakeWorker()
	return nil
}

// compactJob does what Compact promises.
func (w *worker) compactJob(t *turn) {
	last, err := w.compactActive(t)
	switch {
	case t.ctx.Err() != nil && last == nil:
		last = event.CompactFailed{Meta: t.meta()} // stopped, or the program ends
	case err != nil && last == nil:
		w.opt.Log.Error("compaction failed", "error", err)
		last = event.CompactFailed{Meta: t.meta(), Text: err.Error()}
	}
	w.finish.end(t, last)
}

// compactActive compacts the active conversation and returns the last event, which is to be published when the worker is
// free again; nil if there is none.
func (w *worker) compactActive(t *turn) (last event.Event, err error) {
	defer caught(w.opt.Log, "compaction", &err)
	conv, err := w.opt.Conversations.Active()
	if err != nil {
		return nil, fmt.Errorf("the conversation could not be opened: %w", err)
	}
	if conv == nil || w.nextID() != "" || conv.Compacted() == len(conv.Turns) {
		return event.Notice{Meta: t.meta(), Text: nothingToCompact}, nil
	}
	past := history.Of(w.sendable(conv))
	if n := len(past); n == 0 || past[n-1].Summary != "" {
		return event.Notice{Meta: t.meta(), Text: nothingToCompact}, nil
	}
	w.entered(t, conv, conv.ID, false)
	t.provider = w.answering()
	w.opt.Ready(t.ctx)
	r := newRun(w.agentFor(t.provider), Task{
		Past: past, Purpose: llm.PurposeCompact, Tools: w.opt.Tools,
		Meter: w.accounts.Meter(conv.ID), host: w, of: t,
		Emit: func(e event.Event) {
			switch e.(type) {
			case event.StateChanged, event.Retry: // only turns have states
			case event.Compacted, event.CompactFailed:
				last = e
			default:
				w.bus.Publish(e)
			}
		},
	})
	err = r.view.compactTurns(t.ctx, len(past), r.view.room(), 0)
	if e, ok := last.(event.Compacted); ok {
		_, size := w.accounts.Filled(conv.ID)
		w.accounts.Fill(conv.ID, e.After, size)
	}
	return last, err
}

// recordSummary records a summary of the turns up to one. If it cannot be recorded, a running turn uses it anyway.
func (w *worker) recordSummary(t *turn, through, summary string) error {
	err := w.opt.Conversations.Compact(t.conv.ID, conversation.Compaction{Through: through, Summary: summary, Time: time.Now()})
	if err == nil {
		w.step("compacted")
		return nil
	}
	err = fmt.Errorf("the summary could not be recorded in the conversation: %w", err)
	if len(t.entries) == 0 { // it was asked for: there is nothing else to do
		return err
	}
	w.warn(t.meta(), "The next turn will need another summary", err)
	return nil
}

// compact replaces earlier turns by a summary, except the newest short ones. Less than worth tokens stay. It does nothing
// if the budget is spent.
func (v *view) compact(ctx context.Context, room window.Room, worth int) error {
	if v.spent.Over() != "" {
		return nil
	}
	sizes := make([]int, len(v.Past))
	for i, p := range v.Past {
		sizes[i] = window.HistoryTokens(p.Messages)
	}
	n := window.Older(sizes, room.Recent)
	if n == 0 || n == 1 && v.Past[0].Summary != "" {
		return nil
	}
	return v.compactTurns(ctx, n, room, worth)
}

// compactTurns replaces the first n earlier turns by a summary, which is recorded for later turns, and publishes it.
func (v *view) compactTurns(ctx context.Context, n int, room window.Room, worth int) error {
	previous, older := v.Past[0].Summary, history.Join(v.Past[:n])
	said := older
	if previous != "" {
		said = history.Join(v.Past[1:n])
	}
	if window.HistoryTokens(said) < worth {
		return nil
	}
	before, through := v.total(), v.Past[n-1].Turn
	v.Emit(event.CompactStarted{Meta: v.meta()})
	summary, err := v.summarise(ctx, room, previous, said)
	replacement := history.Summary(through, summary)
	if err == nil && window.HistoryTokens(replacement.Messages) >= window.HistoryTokens(older) {
		err = errLongSummary
	}
	if err == nil && v.of != nil {
		err = v.host.recordSummary(v.of, through, summary)
	}
	if err != nil {
		if ctx.Err() != nil {
			v.Emit(event.CompactFailed{Meta: v.meta()})
			return context.Cause(ctx)
		}
		why := llm.Words(err)
		v.Emit(event.CompactFailed{Meta: v.meta(), Text: "The conversation could not be summarized: " + why})
		e := *llm.AsError(err)
		if errors.Is(err, errNothing) || errors.Is(err, errLongSummary) || e.Kind == llm.KindInvalidRequest && e.Reason == llm.ReasonNone {
			e.Kind, e.Reason = llm.KindInvalidRequest, llm.ReasonContextLength
		}
		e.Err, e.Message = err, "the conversation no longer fits the model, and its older part could not be summarized: "+why
		return &e
	}
	v.Past = append([]history.Past{replacement}, v.Past[n:]...)
	v.Forget(v.whole())
	v.Emit(event.Compacted{Meta: v.meta(), Summary: summary, Before: before, After: v.total()})
	return nil
}

// errLongSummary is the error for a summary that cannot be used.
var errLongSummary = errors.New("the summary is not shorter than what it would replace")

// summarise makes a summary of messages and of the previous summary with a model call without tools. Its input is bounded
// by the window; if the window turns out to be smaller, it is halved once.
func (v *view) summarise(ctx context.Context, room window.Room, previous string, messages []llm.Message) (string, error) {
	instructions, err := v.prompt(promptCompact, nil)
	if err != nil {
		return "", err
	}
	resp, err := v.model.callWithin(ctx, room.Window/2-window.Tokens(instructions), func(limit int) llm.Request {
		limit = max(limit, window.Smallest/4)
		before, also := "", ""
		if previous != "" {
			previous = memory.Clip(previous, limit) // a quarter of the limit at most, in tokens
			before = "<summary_so_far>\n" + previous + "\n</summary_so_far>\n\n"
			also = ", which takes the place of the one so far too"
			limit -= window.Tokens(previous)
		}
		said := before + "<conversation>\n" + memory.Transcript(messages, limit) + "\n</conversation>\n\nWrite the summary" + also + "."
		return llm.Request{Purpose: llm.PurposeCompact, Messages: []llm.Message{{Role: llm.RoleSystem, Content: instructions}, {Role: llm.RoleUser, Content: said}}}
	})
	most := max(room.Window/5, window.Smallest/4) * 3 // bytes
	return memory.Clip(strings.TrimSpace(resp.Text), most), err
}

// promptCompact is the prompt that makes a summary.
const promptCompact = "compact"
