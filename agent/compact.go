package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"chatvault/agent/event"
	"chatvault/agent/history"
	"chatvault/agent/llm"
	"chatvault/agent/memory"
	"chatvault/agent/window"
	"chatvault/conversation"
	"chatvault/internal/text"
)

// nothingToCompact answers Compact where the conversation is new, or nothing was said since it
// was last compacted.
const nothingToCompact = "There is nothing to compact yet."

// Compact replaces the active conversation so far by a summary for the model, as soon as no turn runs. The result is
// a Compacted, a CompactFailed or a Notice event. Stop cancels it. It returns an error if the program is ending.
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
	p.end(last)
}

// compactActive compacts the active conversation and returns the final event, nil if it was not published.
func (p *Processor) compactActive(t *turn) (last event.Event, err error) {
	defer func() {
		if v := recover(); v != nil {
			last, err = nil, panicked(p.opt.Log, "compaction", v)
		}
	}()
	conv, err := p.opt.Conversations.Active()
	if err != nil {
		return nil, fmt.Errorf("the conversation could not be opened: %w", err)
	}
	if conv == nil || p.nextID() != "" || conv.Compacted() == len(conv.Turns) {
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
			case event.StateChanged, event.Retry: // only turns have states
			case event.Compacted, event.CompactFailed:
				last = e // told when the processor is free again
			default:
				p.bus.Publish(e)
			}
		},
	})
	err = r.compactTurns(t.ctx, len(past), r.room(), 0)
	if e, ok := last.(event.Compacted); ok {
		_, size := p.accounts.Filled(conv.ID)
		p.accounts.Fill(conv.ID, e.After, size)
	}
	return last, err
}

// recordSummary records a summary of the turns up to one. If it cannot be recorded, a running turn uses it anyway.
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

// compact summarizes older parts of the next request until it fits the room: earlier turns first, then earlier steps
// of this one. Parts of less than worth tokens stay. It does nothing if the budget is spent.
func (r *run) compact(ctx context.Context, room window.Room, worth int) error {
	if r.total() > room.Compact && !r.overspent() {
		if err := r.compactPast(ctx, room, worth); err != nil {
			return err
		}
	}
	if r.total() > room.Compact && !r.overspent() {
		return r.compactSteps(ctx, room, worth)
	}
	return nil
}

// compactPast replaces earlier turns by a summary, except the newest short ones. The summary is recorded for later
// turns.
func (r *run) compactPast(ctx context.Context, room window.Room, worth int) error {
	from := history.SystemLength(r.History)
	sizes := make([]int, len(r.Past))
	for i, at := 0, from; i < len(r.Past); i++ {
		sizes[i] = window.HistoryTokens(r.History[at : at+r.Past[i].Messages])
		at += r.Past[i].Messages
	}
	n := window.Older(sizes, room.Recent)
	if n == 0 || n == 1 && r.Past[0].Summary != "" {
		return nil
	}
	return r.compactTurns(ctx, n, room, worth)
}

// compactTurns replaces the first n earlier turns.
func (r *run) compactTurns(ctx context.Context, n int, room window.Room, worth int) error {
	from, to := history.SystemLength(r.History), history.SystemLength(r.History)
	for _, p := range r.Past[:n] {
		to += p.Messages
	}
	old := r.History[from:to]
	previous, rest := r.Past[0].Summary, old
	if previous != "" {
		rest = old[r.Past[0].Messages:]
	}
	if window.HistoryTokens(rest) < worth {
		return nil
	}
	return r.replace(ctx, room, summarySpan{previous: previous, messages: rest, old: window.HistoryTokens(old)}, func(summary string) error {
		through := r.Past[n-1].Turn
		if r.of != nil {
			if err := r.proc.recordSummary(r.of, through, summary); err != nil {
				return err
			}
		}
		pair := history.Summary(summary)
		r.History = slices.Concat(r.History[:from:from], pair, r.History[to:])
		r.Past = append([]history.Past{{Turn: through, Messages: len(pair), Summary: summary}}, r.Past[n:]...)
		return nil
	})
}

// compactSteps replaces steps of the run by a summary, but for the newest one, which the model
// has not seen the results of, and those before it that are short.
func (r *run) compactSteps(ctx context.Context, room window.Room, worth int) error {
	from := r.view.steps.records
	var begins []int // of the steps, in the record
	for i := from; i < len(r.out.Record); i++ {
		if r.out.Record[i].Role == conversation.RoleAssistant {
			begins = append(begins, i)
		}
	}
	if len(begins) < 2 {
		return nil
	}
	begins = append(begins, len(r.out.Record))
	sizes := make([]int, len(begins)-2)
	for i := range sizes {
		sizes[i] = window.HistoryTokens(history.Messages(r.out.Record[begins[i]:begins[i+1]]))
	}
	n := window.Older(sizes, room.Recent)
	if n == 0 {
		return nil
	}
	old := history.Messages(r.out.Record[from:begins[n]])
	size := 0
	for _, s := range sizes[:n] {
		size += s
	}
	if size < worth {
		return nil
	}
	previous := r.view.steps.summary
	return r.replace(ctx, room, summarySpan{previous: previous, messages: old, task: r.task(), old: size + window.Tokens(previous)}, func(summary string) error {
		r.view.steps = stepsCut{begins[n], summary}
		return nil
	})
}

// task returns the user's messages of this turn.
func (r *run) task() []llm.Message {
	from := history.SystemLength(r.History)
	for _, p := range r.Past {
		from += p.Messages
	}
	return r.History[min(from, len(r.History)):]
}

// summarySpan is what a summary is to replace.
type summarySpan struct {
	previous string        // earlier summary that it also replaces
	messages []llm.Message // to be summarized
	task     []llm.Message // of the running turn: what it works on; told, and not replaced
	old      int           // tokens that the summary takes the place of
}

// replace makes a summary, publishes it, and installs it with put.
func (r *run) replace(ctx context.Context, room window.Room, s summarySpan, put func(summary string) error) error {
	before := r.total()
	r.Emit(event.CompactStarted{Meta: r.meta()})
	summary, err := r.summarise(ctx, room, s)
	if err == nil {
		err = put(summary)
	}
	if err != nil {
		if ctx.Err() != nil {
			r.Emit(event.CompactFailed{Meta: r.meta()})
			return context.Cause(ctx)
		}
		why := llm.Words(err)
		r.Emit(event.CompactFailed{Meta: r.meta(), Text: "The conversation could not be summarized: " + why})
		return notCompacted(llm.AsError(err), why)
	}
	r.view.Forget(r.whole())
	r.Emit(event.Compacted{Meta: r.meta(), Summary: summary, Before: before, After: r.total()})
	return nil
}

// errNoSummary and errLongSummary are what is wrong with a summary that cannot be used.
var (
	errNoSummary   = errors.New("the model returned no summary")
	errLongSummary = errors.New("the summary is not shorter than what it would replace")
)

// summarise makes a summary with a model call without tools. Its input is bounded by the window; if the window turns
// out to be smaller, it is halved once.
func (r *run) summarise(ctx context.Context, room window.Room, s summarySpan) (string, error) {
	instructions, err := r.prompt(promptCompact, nil)
	if err != nil {
		return "", err
	}
	limit := room.Window/2 - window.Tokens(instructions)
	for again := true; ; again = false {
		req := llm.Request{Purpose: llm.PurposeCompact, Messages: []llm.Message{
			{Role: llm.RoleSystem, Content: instructions},
			{Role: llm.RoleUser, Content: compactInput(s, max(limit, window.Smallest/4))},
		}}
		resp, err := r.call(ctx, req)
		if e, ok := errors.AsType[*llm.Error](err); ok && again && ctx.Err() == nil && e.Reason == llm.ReasonContextLength {
			r.windows.Refused(r.Provider.Name(), window.RequestTokens(req), e.Message)
			limit /= 2
			continue
		}
		if err != nil {
			return "", err
		}
		if text.Blank(resp.Text) {
			return "", errNoSummary
		}
		most := max(room.Window/5, window.Smallest/4) * 3 // bytes
		summary := memory.Clip(strings.TrimSpace(resp.Text), most)
		if n := window.HistoryTokens(history.Summary(summary)); n >= s.old {
			return "", errLongSummary
		}
		return summary, nil
	}
}

// promptCompact is the prompt that makes a summary.
const promptCompact = "compact"

// compactInput returns the input of a summary.
func compactInput(s summarySpan, limit int) string {
	var b strings.Builder
	previous := s.previous
	if previous != "" {
		previous = memory.Clip(previous, limit) // a quarter of the limit at most, in tokens
		fmt.Fprintf(&b, "<summary_so_far>\n%s\n</summary_so_far>\n\n", previous)
		limit -= window.Tokens(previous)
	}
	if len(s.task) > 0 {
		task := memory.Transcript(s.task, limit/4)
		fmt.Fprintf(&b, "<request>\n%s\n</request>\n\n", task)
		limit -= window.Tokens(task)
	}
	fmt.Fprintf(&b, "<conversation>\n%s\n</conversation>\n\nWrite the summary", memory.Transcript(s.messages, limit))
	switch {
	case len(s.task) > 0:
		b.WriteString(" of what the assistant did for the request so far")
	case previous != "":
		b.WriteString(", which takes the place of the one so far too")
	}
	b.WriteString(".")
	return b.String()
}

// notCompacted returns the error of a turn whose history does not fit and cannot be summarized.
func notCompacted(e *llm.Error, why string) *llm.Error {
	out := *e
	out.Err = e
	out.Message = "the conversation no longer fits the model, and its older part could not be summarized: " + why
	if errors.Is(e, errNoSummary) || errors.Is(e, errLongSummary) || e.Kind == llm.KindInvalidRequest && e.Reason == llm.ReasonNone {
		out.Kind, out.Reason = llm.KindInvalidRequest, llm.ReasonContextLength
	}
	return &out
}
