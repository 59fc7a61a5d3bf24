package agent

import (
	"cmp"
	"context"
	"errors"
	"time"

	"chatvault/agent/event"
	"chatvault/agent/llm"
	"chatvault/agent/repeat"
	"chatvault/agent/response"
	"chatvault/agent/window"
	"chatvault/agent/written"
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

// call calls the model with all recovery: retries for temporary failures, then a remedy for each other one. It is the only
// retry layer and repeats the model call alone: results of tools that ran are part of the request.
func (c *caller) call(ctx context.Context, req llm.Request) (llm.Response, error) {
	for {
		resp, err := c.callWithRetries(ctx, c.showing(ctx, req))
		e := llm.AsError(err)
		if e != nil && ctx.Err() == nil && c.remedy(ctx, &req, e) {
			continue
		}
		if c.said != "" { // also where the call failed for a reason of its own
			c.notice(c.said)
			c.said = ""
		}
		if e != nil && ctx.Err() == nil && c.fellBack {
			last := *e
			last.Last, err = c.Provider.Name(), &last
		}
		return resp, err
	}
}

// errNothing is the error for an answer without text.
var errNothing = errors.New("the model returned nothing")

// callForText has the model answer a prompt and a text, without tools.
func (c *caller) callForText(ctx context.Context, purpose llm.Purpose, system, said string) (llm.Response, error) {
	resp, err := c.call(ctx, llm.Request{Purpose: purpose, Messages: []llm.Message{{Role: llm.RoleSystem, Content: system}, {Role: llm.RoleUser, Content: said}}})
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
	resp, held, reading := response.New(c.ids), c.holderOf(req), llm.Reading{}
	var answer, reasoning repeat.Text // the arguments of calls may repeat themselves; llm.MaxArguments bounds them
	answered := 0                     // bytes of the answer that were shown
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
		if keep, found := answer.Add(chunk.Text); found {
			return c.cutShort(req, resp, answered, endlessText, keep), nil
		}
		if keep, found := reasoning.Add(chunk.Reasoning); found {
			return c.cutShort(req, resp, answered, endlessReasoning, keep), nil
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
		answered += len(shown)
		if chunk.Reasoning != "" {
			c.Emit(event.ReasoningDelta{Meta: c.meta(), Text: chunk.Reasoning})
		}
		if shown != "" {
			c.Emit(event.TextDelta{Meta: c.meta(), Text: shown})
		}
		if call != nil {
			c.Emit(event.ToolCallDelta{Meta: c.meta(), ID: call.ID, Name: call.Name, Bytes: call.Arguments.Len(), Target: call.Target})
		}
	}
	whole := resp.Whole()
	if whole.Finish == "" {
		return whole, &llm.Error{Kind: llm.KindNetwork, Reason: llm.ReasonBroken, Message: "the response ended early"}
	}
	if !c.readWritten(req, &whole, resp.IDs) {
		if rest := held.Rest(); rest != "" {
			c.Emit(event.TextDelta{Meta: c.meta(), Text: rest})
		}
	}
	c.ids = resp.IDs // those of an attempt that failed are free again
	return whole, nil
}

// holderOf returns the filter of the response to a request while it streams. It holds back possible tool calls written as
// text, or everything if the answer is checked before it is shown.
func (c *caller) holderOf(req llm.Request) *written.Holder {
	if c.small == nil && (len(req.Tools) == 0 || req.NoCalls) {
		return nil
	}
	return &written.Holder{All: c.small != nil}
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
	}
	if c.Meter != nil {
		e.Conversation, e.Day = c.Meter(u)
	}
	c.Emit(e)
}

// finishEndless is how a response ends that repeated itself without end and was cut.
const finishEndless llm.FinishReason = "endless"

// Parts of a response that can be endless.
const (
	endlessText      = "answer"
	endlessReasoning = "reasoning"
)

// cutShort returns the response that is kept of an endless one: the text or the reasoning up to its first repetition,
// without calls. shown is how many bytes of the text were shown.
func (c *caller) cutShort(req llm.Request, resp *response.Response, shown int, part string, keep int) llm.Response {
	out := resp.Whole()
	out.Finish = finishEndless
	out.Usage, out.HasUsage = window.Used(req, out), true // what is cut off was written all the same
	out.ToolCalls = nil
	if part == endlessText {
		out.Text = text.Head(out.Text, keep)
		if c.readWritten(req, &out, resp.IDs) {
			return out
		}
		if shown < len(out.Text) && req.Purpose != llm.PurposeCompact && c.small == nil {
			c.Emit(event.TextDelta{Meta: c.meta(), Text: out.Text[shown:]})
		}
	} else {
		out.Reasoning = text.Head(out.Reasoning, keep)
	}
	c.Log.Warn("a response repeated itself endlessly", "turn", c.TurnID, "provider", c.Provider.Name(), "part", part)
	c.notice("The model kept repeating itself, so its " + part + " was cut off.")
	return out
}

// writesCalls marks a model that writes tool calls as text in learned.unable.
const writesCalls = "writes calls "

// readWritten puts calls that the model wrote as text in the place that calls have in a response, and reports
// whether there were any. They go back to the model as native calls.
func (c *caller) readWritten(req llm.Request, resp *llm.Response, ids map[string]bool) bool {
	if c.small != nil && req.Purpose == llm.PurposeTurn {
		c.small.readCalls(req, resp, ids)
		return len(resp.ToolCalls) > 0
	}
	if len(req.Tools) == 0 || req.NoCalls || !readCalls(req, resp, req.Tools, ids) {
		return false
	}
	if _, known := c.unable.LoadOrStore(writesCalls+c.Provider.Name(), true); !known {
		c.notice(c.Provider.Name() + " writes tool calls as text, so chatvault reads them from the answer. Servers that know the model's form parse them: llama.cpp started with --jinja, vLLM with --enable-auto-tool-choice and a --tool-call-parser.")
	}
	return true
}

// readCalls puts calls of the offered tools that the text of a response consists of in their place.
func readCalls(req llm.Request, resp *llm.Response, offered []llm.ToolSpec, ids map[string]bool) bool {
	if len(resp.ToolCalls) > 0 || resp.Finish == llm.FinishContentFilter {
		return false
	}
	var shown []string
	for _, m := range req.Messages {
		if m.Role == llm.RoleUser || m.Role == llm.RoleTool {
			shown = append(shown, m.Prompt())
		}
	}
	before, calls := written.Read(resp.Text, offered, shown...)
	for i := range calls {
		calls[i].ID = llm.FreshID("", ids)
	}
	if calls != nil {
		resp.Text, resp.ToolCalls, resp.Echo, resp.Finish = before, calls, nil, llm.FinishToolCalls
	}
	return calls != nil
}
