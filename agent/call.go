package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"chatvault/agent/event"
	"chatvault/agent/history"
	"chatvault/agent/llm"
	"chatvault/agent/repeat"
	"chatvault/agent/response"
	"chatvault/agent/window"
	"chatvault/internal/base/routine"
	"chatvault/internal/base/text"
)

// caller calls the model for a run.
type caller struct {
	*run
	fellBack bool   // a provider failed permanently and another took over
	supplied int    // times the user was asked for what the provider lacks
	said     string // notice to show when a call succeeds with what the user typed
	unseenBy string // the model for which the user was notified that it cannot see something
}

// call calls the model with all recovery: retries for temporary failures, then the next provider of the chain, what
// the user supplies, or a request without tools. It is the only retry layer and repeats the model call alone: results
// of tools that ran are part of the request.
func (c *caller) call(ctx context.Context, req llm.Request) (llm.Response, error) {
	for {
		resp, err := c.callWithRetries(ctx, c.showing(ctx, c.withoutToolsIfNone(req)))
		if c.retryUnseeing(req, err) {
			continue
		}
		if c.retryUnsealed(&req, err) || c.withoutSchema(&req, err) {
			continue
		}
		if c.showFewer(err) {
			req.Messages = c.view.Apply(req.Messages)
			continue
		}
		if err == nil || ctx.Err() != nil || !c.retryWithoutTools(req, err) && !c.fallBack(err) && !c.supply(ctx, err) {
			if c.said != "" { // also where the call failed for a reason of its own
				c.notice(c.said)
				c.said = ""
			}
			return resp, c.named(err)
		}
	}
}

// errNothing is the error for an answer without text.
var errNothing = errors.New("the model returned nothing")

// callWithin makes a call whose request build makes from a limit in tokens. If the model's window turns out to be
// smaller, the limit is halved once.
func (c *caller) callWithin(ctx context.Context, limit int, build func(limit int) llm.Request) (llm.Response, error) {
	req := build(limit)
	resp, err := c.call(ctx, req)
	if e, ok := errors.AsType[*llm.Error](err); ok && ctx.Err() == nil && e.Reason == llm.ReasonContextLength {
		c.windows.Refused(c.Provider.Name(), window.RequestTokens(req), e.Message)
		limit /= 2
		if size, named := window.From(e.Message); named {
			limit = min(limit, size/2)
		}
		resp, err = c.call(ctx, build(limit))
	}
	if err == nil && text.Blank(resp.Text) {
		err = errNothing
	}
	return resp, err
}

// callWithRetries calls one provider, with retries.
func (c *caller) callWithRetries(ctx context.Context, req llm.Request) (llm.Response, error) {
	for attempt, badCall := 1, false; ; attempt++ {
		c.to(event.StateThinking)
		begun := time.Now()
		resp, err := c.attempt(ctx, req)
		if (err != nil || ctx.Err() != nil) && resp.HasUsage {
			c.reportUsage(req, resp, true)
		}
		if ctx.Err() != nil {
			return llm.Response{}, context.Cause(ctx)
		}
		if err == nil {
			c.out.Answered = true
			if c.of != nil {
				c.slow.Store(time.Since(begun) > quickCall)
			}
			c.reportUsage(req, resp, false)
			if !window.Shows(req.Messages) {
				c.windows.Taken(c.Provider.Name(), window.RequestTokens(req), resp.Usage)
			}
			if least := window.LeastTokens(req); c.windows.Cut(c.Provider.Name(), least, resp.Usage) {
				c.notice(llm.CutText(c.Provider.Name(), least, resp.Usage.PromptTokens))
			}
			if resp.Text != "" && req.Purpose != llm.PurposeCompact && c.small == nil {
				c.Emit(event.TextDone{Meta: c.meta(), Text: resp.Text})
			}
			return resp, nil
		}
		e := llm.AsError(err)
		c.Log.Warn("model call failed", "turn", c.TurnID, "attempt", attempt, "error", e)
		delay, again := c.Retry.Next(attempt, e)
		if e.Reason == llm.ReasonBadCall && !badCall { // the next may be valid
			again, badCall = true, true
		}
		if !again {
			return llm.Response{}, e
		}
		c.retrying(attempt+1, delay, e)
		if !routine.Sleep(ctx, delay) {
			return llm.Response{}, context.Cause(ctx)
		}
	}
}

// retrying publishes that a failed call is repeated, which voids its text.
func (c *caller) retrying(attempt int, delay time.Duration, e *llm.Error) {
	c.to(event.StateRetrying)
	c.Emit(event.Retry{Meta: c.meta(), Attempt: attempt, Delay: delay, Code: e.Kind, Reason: e.Reason, Message: e.Message})
}

// attempt streams one response.
func (c *caller) attempt(ctx context.Context, req llm.Request) (llm.Response, error) {
	resp, watch, held, reading := response.New(c.ids), repetition{}, c.holderOf(req), llm.Reading{}
	c.view.shown = false
	if req.Purpose != llm.PurposeCompact {
		defer func() {
			if ctx.Err() != nil { // stopped, be it at the last word
				c.out.Partial = resp.Text.String()
			}
		}()
	}
	for chunk, err := range c.Provider.Stream(ctx, req) {
		if err != nil {
			return resp.Whole(), err
		}
		call, err := resp.Add(chunk)
		if err != nil {
			whole := resp.Whole()
			whole.HasUsage, whole.Usage.Estimated = true, true
			return whole, err
		}
		if ctx.Err() != nil {
			continue // nothing more is shown; its end comes promptly, with the usage
		}
		if part, keep := watch.check(chunk); part != "" {
			return c.cutShort(req, resp, &watch, part, keep), nil
		}
		if req.Purpose == llm.PurposeCompact {
			continue // not shown
		}
		if now := cmp.Or(chunk.Reading, &llm.Reading{}); *now != reading {
			reading = *now
			c.Emit(event.PromptRead{Meta: c.meta(), Reading: reading})
		}
		if chunk.Suggest != "" {
			c.Emit(event.Suggested{Meta: c.meta(), Text: chunk.Suggest})
		}
		shown := held.Add(chunk.Text)
		c.view.shown = c.view.shown || shown != "" || chunk.Reasoning != ""
		watch.shown += len(shown)
		if chunk.Reasoning != "" {
			c.Emit(event.ReasoningDelta{Meta: c.meta(), Text: chunk.Reasoning})
		}
		if shown != "" {
			c.Emit(event.TextDelta{Meta: c.meta(), Text: shown})
		}
		if call != nil && call.Grown(chunk.ToolCall.Arguments) {
			c.Emit(event.ToolCallDelta{Meta: c.meta(), ID: call.ID, Name: call.Name, Bytes: call.Shown, Target: call.Target})
		}
	}
	whole := resp.Whole()
	if whole.Finish == "" {
		return whole, &llm.Error{Kind: llm.KindNetwork, Reason: llm.ReasonBroken, Message: "the response ended early"}
	}
	for _, call := range resp.Calls { // how long each became, also what grew since it was last shown
		if n := call.Arguments.Len(); call.Shown >= 0 && n > call.Shown {
			call.Shown = n
			c.Emit(event.ToolCallDelta{Meta: c.meta(), ID: call.ID, Name: call.Name, Bytes: n, Target: call.Target})
		}
	}
	if !c.readWritten(req, &whole, resp.IDs) {
		if rest := held.Rest(); rest != "" {
			c.Emit(event.TextDelta{Meta: c.meta(), Text: rest})
		}
	}
	c.ids = resp.IDs // those of an attempt that failed are free again
	return whole, nil
}

// reportUsage counts a model call. Canceled calls count too, since they are charged.
func (c *caller) reportUsage(req llm.Request, resp llm.Response, cut bool) {
	u := window.Used(req, resp)
	c.Budget.Complete(&u, c.Provider.Name())
	if why := c.Budget.Unenforceable(u, c.Provider.Name()); why != "" {
		if _, told := c.unable.LoadOrStore(lacksPrice+c.Provider.Name(), true); !told {
			c.notice(why)
		}
	}
	turn := c.spent.Add(u)
	e := event.UsageReported{Meta: c.meta(), Usage: u, Turn: turn}
	if !cut && (req.Purpose == llm.PurposeTurn || req.Purpose == llm.PurposePlan) && !c.isSubagent() {
		e.Context, e.Window = u.PromptTokens+u.CompletionTokens, c.windows.Size(c.Provider, c.view.configuredWindow())
		if c.of != nil {
			c.host.accounts.Fill(c.of.conv.ID, e.Context, e.Window)
		}
	}
	if c.Meter != nil {
		e.Conversation, e.Day = c.Meter(u)
	}
	c.Emit(e)
}

// finishEndless is how a response ends that repeated itself without end and was cut.
const finishEndless llm.FinishReason = "endless"

// repetition watches the text and the reasoning of one response. The arguments of its calls are
// not watched: what a note is to hold may repeat itself, and llm.MaxArguments bounds it.
type repetition struct {
	text, reasoning repeat.Text
	shown           int // bytes of the text that were shown
}

// endlessPart is the part of a response that repeats itself.
type endlessPart string

const (
	endlessText      endlessPart = "answer"
	endlessReasoning endlessPart = "reasoning"
)

// check looks at the newest chunk. It returns the part that repeats itself and how many bytes of it to keep; empty if
// none does.
func (w *repetition) check(piece llm.Chunk) (part endlessPart, keep int) {
	if keep, found := w.text.Add(piece.Text); found {
		return endlessText, keep
	}
	if keep, found := w.reasoning.Add(piece.Reasoning); found {
		return endlessReasoning, keep
	}
	return "", 0
}

// cutShort returns the response that is kept of an endless one: the text up to its first repetition, without calls.
func (c *caller) cutShort(req llm.Request, resp *response.Response, w *repetition, part endlessPart, keep int) llm.Response {
	out := resp.Whole()
	out.Finish = finishEndless
	out.Usage, out.HasUsage = window.Used(req, out), true // what is cut off was written all the same
	out.ToolCalls = nil
	if part == endlessText {
		out.Text = text.Head(out.Text, keep)
		if c.readWritten(req, &out, resp.IDs) {
			return out
		}
		if w.shown < len(out.Text) && req.Purpose != llm.PurposeCompact && c.small == nil {
			c.Emit(event.TextDelta{Meta: c.meta(), Text: out.Text[w.shown:]})
		}
	} else {
		out.Reasoning = text.Head(out.Reasoning, keep)
	}
	c.Log.Warn("a response repeated itself endlessly", "turn", c.TurnID, "provider", c.Provider.Name(), "part", string(part))
	c.notice("The model kept repeating itself, so its " + string(part) + " was cut off.")
	return out
}

// lacksPrice marks a model whose price is unknown in learned.unable.
const lacksPrice = "price "

// lacksTools marks a model that cannot use tools in learned.unable.
const lacksTools = "tools "

// withoutToolsIfNone returns the request without tools if the model cannot use them.
func (c *caller) withoutToolsIfNone(req llm.Request) llm.Request {
	if _, none := c.unable.Load(lacksTools + c.Provider.Name()); none && history.UsesTools(req) {
		return history.WithoutTools(req)
	}
	return req
}

// retryWithoutTools reports whether a call failed because the model cannot use tools and is repeated without them.
// The user is notified once.
func (c *caller) retryWithoutTools(req llm.Request, err error) bool {
	e, ok := errors.AsType[*llm.Error](err)
	if !ok || e.Reason != llm.ReasonNoTools || !history.UsesTools(req) {
		return false
	}
	name := c.Provider.Name()
	if _, known := c.unable.LoadOrStore(lacksTools+name, true); known {
		return false // it refused the request without tools as well
	}
	if c.view.shown {
		c.retrying(1, 0, e)
	} else {
		c.to(event.StateRetrying)
	}
	c.notice(fmt.Sprintf("%s cannot use tools, so it answers without reading or changing notes. For another model: /model in the chat.", name))
	return true
}

// retryUnsealed reports whether a call failed because the endpoint refuses the reasoning of earlier answers, and
// is made again without it. It is not sent in later turns either.
func (c *caller) retryUnsealed(req *llm.Request, err error) bool {
	e, ok := errors.AsType[*llm.Error](err)
	if !ok || e.Reason != llm.ReasonSealed || !history.Sealed(req.Messages) {
		return false
	}
	req.Messages, c.History, c.out.Unsealed = history.Unsealed(req.Messages), history.Unsealed(c.History), true
	for i, m := range c.out.Record {
		c.out.Record[i].Echo = history.UnsealedEcho(m)
	}
	c.to(event.StateRetrying)
	c.notice(c.Provider.Name() + " refuses its earlier reasoning in this conversation, so it continues without it.")
	return true
}

// withoutSchema reports whether a call failed because the endpoint takes no schema of a response, or no temperature,
// and is made again without them.
func (c *caller) withoutSchema(req *llm.Request, err error) bool {
	e, ok := errors.AsType[*llm.Error](err)
	if !ok || req.Schema == nil && !req.Literal || e.Kind != llm.KindInvalidRequest || e.Reason != "" {
		return false
	}
	req.Schema, req.Literal = nil, false
	c.unable.Store(noSchema+c.Provider.Name(), true)
	return true
}

// noSchema marks a model whose endpoint does not support schemas or temperatures in learned.unable.
const noSchema = "schema "
