package agent

import (
	"context"
	"time"

	"chatvault/agent/llm"
)

// growth is how many bytes the arguments of a tool call grow between two ToolCallDeltas.
const growth = 512

// call calls the model, again after a failure that may pass, and the next provider of the
// chain after one that will not. It is the only retry layer, and it repeats the model call
// alone: tools that ran are in the request, and stay so.
func (r *run) call(ctx context.Context, req llm.Request) (llm.Response, error) {
	for {
		resp, err := r.persist(ctx, req)
		if err == nil || ctx.Err() != nil || !r.fallBack(err) {
			return resp, err
		}
	}
}

// persist calls one provider, with retries.
func (r *run) persist(ctx context.Context, req llm.Request) (llm.Response, error) {
	for attempt := 1; ; attempt++ {
		r.to(StateThinking)
		resp, err := r.attempt(ctx, req)
		if ctx.Err() != nil {
			return llm.Response{}, context.Cause(ctx)
		}
		if err == nil {
			r.reportUsage(resp)
			if resp.Text != "" {
				r.Emit(TextDone{r.meta(), resp.Text})
			}
			return resp, nil
		}
		e := llm.AsError(err)
		r.Log.Warn("model call failed", "turn", r.TurnID, "attempt", attempt, "error", e)
		delay, again := r.Retry.Next(attempt, e)
		if !again {
			return llm.Response{}, e
		}
		r.to(StateRetrying)
		r.Emit(Retry{r.meta(), attempt + 1, delay, e.Kind, e.Message})
		if !sleep(ctx, delay) {
			return llm.Response{}, context.Cause(ctx)
		}
	}
}

// attempt streams one response.
func (r *run) attempt(ctx context.Context, req llm.Request) (llm.Response, error) {
	var resp llm.Response
	shown := map[int]int{}
	for chunk, err := range r.Provider.Stream(ctx, req) {
		if err != nil {
			return resp, err
		}
		if d := chunk.ToolCall; d != nil && d.Index >= len(resp.ToolCalls) {
			// Renamed at its first piece, so that every event of a call has the id it ends up with.
			fresh := *d
			fresh.ID = r.freshID(d.ID)
			chunk.ToolCall = &fresh
		}
		resp.Add(chunk)
		if chunk.Reasoning != "" {
			r.Emit(ReasoningDelta{r.meta(), chunk.Reasoning})
		}
		if chunk.Text != "" {
			r.Emit(TextDelta{r.meta(), chunk.Text})
		}
		if d := chunk.ToolCall; d != nil && d.Index < len(resp.ToolCalls) {
			c := resp.ToolCalls[d.Index]
			if last, seen := shown[d.Index]; !seen || len(c.Arguments)-last >= growth {
				shown[d.Index] = len(c.Arguments)
				r.Emit(ToolCallDelta{r.meta(), c.ID, c.Name, len(c.Arguments)})
			}
		}
	}
	if resp.Finish == "" && ctx.Err() == nil {
		return resp, &llm.Error{Kind: llm.KindNetwork, Message: "the response ended early"}
	}
	return resp, nil
}

func (r *run) reportUsage(resp llm.Response) {
	if resp.HasUsage {
		r.Emit(UsageReported{r.meta(), resp.Usage})
	}
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
