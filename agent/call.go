package agent

import (
	"context"
	"time"

	"chatvault/agent/event"
	"chatvault/agent/llm"
	"chatvault/agent/window"
)

// call calls the model, again after a failure that may pass, and after one that will not the
// next provider of the chain, or the last one with what the user supplies or without tools. It is the only retry
// layer, and it repeats the model call alone: tools that ran are in the request, and stay so.
func (r *run) call(ctx context.Context, req llm.Request) (llm.Response, error) {
	for {
		resp, err := r.persist(ctx, r.suited(req))
		if err == nil || ctx.Err() != nil || !r.goOnWithout(req, err) && !r.fallBack(err) && !r.supply(ctx, err) {
			r.tellSupplied() // also where the call failed for a reason of its own
			return resp, r.named(err)
		}
	}
}

// persist calls one provider, with retries.
func (r *run) persist(ctx context.Context, req llm.Request) (llm.Response, error) {
	for attempt := 1; ; attempt++ {
		r.to(event.StateThinking)
		resp, err := r.attempt(ctx, req)
		if ctx.Err() != nil {
			return llm.Response{}, context.Cause(ctx)
		}
		if err == nil {
			r.out.Answered = true
			r.reportUsage(req, resp)
			r.view.windows.Taken(r.Provider.Name(), window.RequestTokens(req), resp.Usage)
			if least := window.LeastTokens(req); r.view.windows.Cut(r.Provider.Name(), least, resp.Usage) {
				r.notice(llm.CutText(r.Provider.Name(), least, resp.Usage.PromptTokens))
			}
			if resp.Text != "" && req.Purpose != llm.PurposeCompact {
				r.Emit(event.TextDone{Meta: r.meta(), Text: resp.Text})
			}
			return resp, nil
		}
		e := llm.AsError(err)
		r.Log.Warn("model call failed", "turn", r.TurnID, "attempt", attempt, "error", e)
		delay, again := r.Retry.Next(attempt, e)
		if !again {
			return llm.Response{}, e
		}
		r.to(event.StateRetrying)
		r.Emit(event.Retry{Meta: r.meta(), Attempt: attempt + 1, Delay: delay, Code: e.Kind, Reason: e.Reason, Message: e.Message})
		if !sleep(ctx, delay) {
			return llm.Response{}, context.Cause(ctx)
		}
	}
}

// attempt streams one response.
func (r *run) attempt(ctx context.Context, req llm.Request) (llm.Response, error) {
	resp, watch := newResponse(r.ids), repetition{}
	r.view.shown = false
	if req.Purpose != llm.PurposeCompact {
		defer func() {
			if ctx.Err() != nil { // stopped, be it at the last word
				r.out.Partial = resp.text.String()
			}
		}()
	}
	for chunk, err := range r.Provider.Stream(ctx, req) {
		if err == nil && ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		if err != nil {
			return llm.Response{}, err
		}
		call, err := resp.add(chunk)
		if err != nil {
			return llm.Response{}, err
		}
		if part, keep := watch.check(chunk); part != "" {
			return r.cutShort(req, resp, &watch, part, keep), nil
		}
		if req.Purpose == llm.PurposeCompact {
			continue // nobody reads along
		}
		r.view.shown = r.view.shown || chunk.Text != "" || chunk.Reasoning != ""
		watch.shown += len(chunk.Text)
		if chunk.Reasoning != "" {
			r.Emit(event.ReasoningDelta{Meta: r.meta(), Text: chunk.Reasoning})
		}
		if chunk.Text != "" {
			r.Emit(event.TextDelta{Meta: r.meta(), Text: chunk.Text})
		}
		if call != nil && call.grown(chunk.ToolCall.Arguments) {
			r.Emit(event.ToolCallDelta{Meta: r.meta(), ID: call.id, Name: call.name, Bytes: call.shown, Target: call.target})
		}
	}
	whole := resp.whole()
	if whole.Finish == "" {
		return llm.Response{}, &llm.Error{Kind: llm.KindNetwork, Reason: llm.ReasonBroken, Message: "the response ended early"}
	}
	for _, call := range resp.calls { // how long each became, also what grew since it was last shown
		if n := call.arguments.Len(); call.shown >= 0 && n > call.shown {
			call.shown = n
			r.Emit(event.ToolCallDelta{Meta: r.meta(), ID: call.id, Name: call.name, Bytes: n, Target: call.target})
		}
	}
	r.ids = resp.ids // those of an attempt that failed are free again
	return whole, nil
}

func (r *run) reportUsage(req llm.Request, resp llm.Response) {
	u := resp.Usage
	if !resp.HasUsage {
		u = window.Estimate(req, resp)
	}
	r.Budget.Complete(&u, r.Provider.Name())
	if why := r.Budget.Unenforceable(u, r.Provider.Name()); why != "" {
		r.notice(why)
	}
	turn := r.spent.Add(u)
	e := event.UsageReported{Meta: r.meta(), Usage: u, Turn: turn}
	if (req.Purpose == llm.PurposeTurn || req.Purpose == llm.PurposePlan) && !r.isHelper() {
		e.Context, e.Window = u.PromptTokens+u.CompletionTokens, r.view.windows.Size(r.Provider, r.configuredWindow())
		if r.Filled != nil {
			r.Filled(e.Context, e.Window)
		}
	}
	if r.Meter != nil {
		e.Conversation, e.Day = r.Meter(u)
	}
	r.Emit(e)
}

// sleep waits for d; false when ctx ended first.
func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
