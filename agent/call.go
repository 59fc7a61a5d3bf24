package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"chatvault/agent/event"
	"chatvault/agent/history"
	"chatvault/agent/llm"
	"chatvault/agent/repeat"
	"chatvault/agent/response"
	"chatvault/agent/toolless"
	"chatvault/agent/window"
	"chatvault/internal/routine"
	"chatvault/internal/text"
)

// call calls the model with all recovery: retries for temporary failures, then the next provider of the chain, what
// the user supplies, or a request without tools. It is the only retry layer and repeats the model call alone: results
// of tools that ran are part of the request.
func (r *run) call(ctx context.Context, req llm.Request) (llm.Response, error) {
	for {
		resp, err := r.callWithRetries(ctx, r.showing(ctx, r.withoutToolsIfNone(req)))
		if r.retryUnseeing(req, err) {
			continue
		}
		if r.retryUnsealed(&req, err) || r.withoutSchema(&req, err) {
			continue
		}
		if r.showFewer(err) {
			req.Messages = r.view.Apply(req.Messages)
			continue
		}
		if err == nil || ctx.Err() != nil || !r.retryWithoutTools(req, err) && !r.fallBack(err) && !r.supply(ctx, err) {
			if r.said != "" { // also where the call failed for a reason of its own
				r.notice(r.said)
				r.said = ""
			}
			return resp, r.named(err)
		}
	}
}

// callWithRetries calls one provider, with retries.
func (r *run) callWithRetries(ctx context.Context, req llm.Request) (llm.Response, error) {
	for attempt, badCall := 1, false; ; attempt++ {
		r.to(event.StateThinking)
		begun := time.Now()
		resp, err := r.attempt(ctx, req)
		if (err != nil || ctx.Err() != nil) && resp.HasUsage {
			r.reportUsage(req, resp, true)
		}
		if ctx.Err() != nil {
			return llm.Response{}, context.Cause(ctx)
		}
		if err == nil {
			r.out.Answered = true
			if r.of != nil {
				r.slow.Store(time.Since(begun) > quickCall)
			}
			r.reportUsage(req, resp, false)
			if !window.Shows(req.Messages) {
				r.windows.Taken(r.Provider.Name(), window.RequestTokens(req), resp.Usage)
			}
			if least := window.LeastTokens(req); r.windows.Cut(r.Provider.Name(), least, resp.Usage) {
				r.notice(llm.CutText(r.Provider.Name(), least, resp.Usage.PromptTokens))
			}
			if resp.Text != "" && req.Purpose != llm.PurposeCompact && r.small == nil {
				r.Emit(event.TextDone{Meta: r.meta(), Text: resp.Text})
			}
			return resp, nil
		}
		e := llm.AsError(err)
		r.Log.Warn("model call failed", "turn", r.TurnID, "attempt", attempt, "error", e)
		delay, again := r.Retry.Next(attempt, e)
		if e.Reason == llm.ReasonBadCall && !badCall { // the next may be valid
			again, badCall = true, true
		}
		if !again {
			return llm.Response{}, e
		}
		r.retrying(attempt+1, delay, e)
		if !routine.Sleep(ctx, delay) {
			return llm.Response{}, context.Cause(ctx)
		}
	}
}

// retrying publishes that a failed call is repeated, which voids its text.
func (r *run) retrying(attempt int, delay time.Duration, e *llm.Error) {
	r.to(event.StateRetrying)
	r.Emit(event.Retry{Meta: r.meta(), Attempt: attempt, Delay: delay, Code: e.Kind, Reason: e.Reason, Message: e.Message})
}

// attempt streams one response.
func (r *run) attempt(ctx context.Context, req llm.Request) (llm.Response, error) {
	resp, watch, text, reading := response.New(r.ids), repetition{}, r.textOf(req), llm.Reading{}
	r.view.shown = false
	if req.Purpose != llm.PurposeCompact {
		defer func() {
			if ctx.Err() != nil { // stopped, be it at the last word
				r.out.Partial = resp.Text.String()
			}
		}()
	}
	for chunk, err := range r.Provider.Stream(ctx, req) {
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
			return r.cutShort(req, resp, &watch, part, keep), nil
		}
		if req.Purpose == llm.PurposeCompact {
			continue // not shown
		}
		if now := cmp.Or(chunk.Reading, &llm.Reading{}); *now != reading {
			reading = *now
			r.Emit(event.PromptRead{Meta: r.meta(), Reading: reading})
		}
		if chunk.Suggest != "" {
			r.Emit(event.Suggested{Meta: r.meta(), Text: chunk.Suggest})
		}
		shown := text.add(chunk.Text)
		r.view.shown = r.view.shown || shown != "" || chunk.Reasoning != ""
		watch.shown += len(shown)
		if chunk.Reasoning != "" {
			r.Emit(event.ReasoningDelta{Meta: r.meta(), Text: chunk.Reasoning})
		}
		if shown != "" {
			r.Emit(event.TextDelta{Meta: r.meta(), Text: shown})
		}
		if call != nil && call.Grown(chunk.ToolCall.Arguments) {
			r.Emit(event.ToolCallDelta{Meta: r.meta(), ID: call.ID, Name: call.Name, Bytes: call.Shown, Target: call.Target})
		}
	}
	whole := resp.Whole()
	if whole.Finish == "" {
		return whole, &llm.Error{Kind: llm.KindNetwork, Reason: llm.ReasonBroken, Message: "the response ended early"}
	}
	for _, call := range resp.Calls { // how long each became, also what grew since it was last shown
		if n := call.Arguments.Len(); call.Shown >= 0 && n > call.Shown {
			call.Shown = n
			r.Emit(event.ToolCallDelta{Meta: r.meta(), ID: call.ID, Name: call.Name, Bytes: n, Target: call.Target})
		}
	}
	if !r.readWritten(req, &whole, resp.IDs) {
		if rest := text.rest(); rest != "" {
			r.Emit(event.TextDelta{Meta: r.meta(), Text: rest})
		}
	}
	r.ids = resp.IDs // those of an attempt that failed are free again
	return whole, nil
}

// reportUsage counts a model call. Canceled calls count too, since they are charged.
func (r *run) reportUsage(req llm.Request, resp llm.Response, cut bool) {
	u := window.Used(req, resp)
	r.Budget.Complete(&u, r.Provider.Name())
	if why := r.Budget.Unenforceable(u, r.Provider.Name()); why != "" {
		if _, told := r.unable.LoadOrStore(lacksPrice+r.Provider.Name(), true); !told {
			r.notice(why)
		}
	}
	turn := r.spent.Add(u)
	e := event.UsageReported{Meta: r.meta(), Usage: u, Turn: turn}
	if !cut && (req.Purpose == llm.PurposeTurn || req.Purpose == llm.PurposePlan) && !r.isSubagent() {
		e.Context, e.Window = u.PromptTokens+u.CompletionTokens, r.windows.Size(r.Provider, r.configuredWindow())
		if r.of != nil {
			r.proc.accounts.Fill(r.of.conv.ID, e.Context, e.Window)
		}
	}
	if r.Meter != nil {
		e.Conversation, e.Day = r.Meter(u)
	}
	r.Emit(e)
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
func (w *repetition) check(c llm.Chunk) (part endlessPart, keep int) {
	if keep, found := w.text.Add(c.Text); found {
		return endlessText, keep
	}
	if keep, found := w.reasoning.Add(c.Reasoning); found {
		return endlessReasoning, keep
	}
	return "", 0
}

// cutShort returns the response that is kept of an endless one: the text up to its first repetition, without calls.
func (r *run) cutShort(req llm.Request, resp *response.Response, w *repetition, part endlessPart, keep int) llm.Response {
	out := resp.Whole()
	out.Finish = finishEndless
	out.Usage, out.HasUsage = window.Used(req, out), true // what is cut off was written all the same
	out.ToolCalls = nil
	if part == endlessText {
		out.Text = text.Head(out.Text, keep)
		if r.readWritten(req, &out, resp.IDs) {
			return out
		}
		if w.shown < len(out.Text) && req.Purpose != llm.PurposeCompact && r.small == nil {
			r.Emit(event.TextDelta{Meta: r.meta(), Text: out.Text[w.shown:]})
		}
	} else {
		out.Reasoning = text.Head(out.Reasoning, keep)
	}
	r.Log.Warn("a response repeated itself endlessly", "turn", r.TurnID, "provider", r.Provider.Name(), "part", string(part))
	r.notice("The model kept repeating itself, so its " + string(part) + " was cut off.")
	return out
}

// lacksPrice marks a model whose price is unknown in learned.unable.
const lacksPrice = "price "

// lacksTools marks a model that cannot use tools in learned.unable.
const lacksTools = "tools "

// withoutToolsIfNone returns the request without tools if the model cannot use them.
func (r *run) withoutToolsIfNone(req llm.Request) llm.Request {
	if _, none := r.unable.Load(lacksTools + r.Provider.Name()); none && toolless.Needs(req) {
		return toolless.Without(req)
	}
	return req
}

// retryWithoutTools reports whether a call failed because the model cannot use tools and is repeated without them.
// The user is notified once.
func (r *run) retryWithoutTools(req llm.Request, err error) bool {
	e, ok := errors.AsType[*llm.Error](err)
	if !ok || e.Reason != llm.ReasonNoTools || !toolless.Needs(req) {
		return false
	}
	name := r.Provider.Name()
	if _, known := r.unable.LoadOrStore(lacksTools+name, true); known {
		return false // it refused the request without tools as well
	}
	if r.view.shown {
		r.retrying(1, 0, e)
	} else {
		r.to(event.StateRetrying)
	}
	r.notice(fmt.Sprintf("%s cannot use tools, so it answers without reading or changing notes. For another model: /model in the chat.", name))
	return true
}

// retryUnsealed reports whether a call failed because the endpoint refuses the reasoning of earlier answers, and
// is made again without it. It is not sent in later turns either.
func (r *run) retryUnsealed(req *llm.Request, err error) bool {
	e, ok := errors.AsType[*llm.Error](err)
	if !ok || e.Reason != llm.ReasonSealed || !history.Sealed(req.Messages) {
		return false
	}
	req.Messages, r.History, r.out.Unsealed = history.Unsealed(req.Messages), history.Unsealed(r.History), true
	for i, m := range r.out.Record {
		r.out.Record[i].Echo = history.UnsealedEcho(m)
	}
	r.to(event.StateRetrying)
	r.notice(r.Provider.Name() + " refuses its earlier reasoning in this conversation, so it continues without it.")
	return true
}

// overBudget ends the run before a model call that the budget does not allow, with an account
// of our own: another call for one would cost more.
func (r *run) overBudget() bool {
	why := r.spent.Over()
	if why == "" {
		return false
	}
	r.out.Reason = event.StopBudget
	if r.isSubagent() { // the parent gives the account
		r.out.Response = why
		r.to(event.StateCompleted)
		return true
	}
	r.out.Response = "I stopped because this turn's budget is used up (" + why + "). " + r.account() + " Say “continue” to go on with a new budget."
	r.Emit(event.TextDelta{Meta: r.meta(), Text: r.out.Response})
	r.Emit(event.TextDone{Meta: r.meta(), Text: r.out.Response})
	r.recordAnswer(llm.Response{Text: r.out.Response})
	r.to(event.StateCompleted)
	return true
}

// account describes what the turn has done and, if the agent keeps a task list, what remains.
func (r *run) account() string {
	text := "Nothing was changed."
	if changes := r.box.Changes(); len(changes) > 0 {
		text = "Done so far: " + enumerated(changes) + "."
	}
	var left []string
	for _, item := range r.tasks {
		if !item.Done {
			left = append(left, item.Text)
		}
	}
	switch {
	case len(left) > 0:
		text += " Left: " + enumerated(left) + "."
	case len(r.tasks) > 0:
		text += " All steps of the list are done."
	}
	return text
}

// enumerated joins at most ten items by semicolons.
func enumerated(list []string) string {
	const most = 10
	if n := len(list) - most; n > 0 {
		return strings.Join(list[:most], "; ") + fmt.Sprintf("; and %d more", n)
	}
	return strings.Join(list, "; ")
}

// Usage returns the usage of the active conversation and of the local day, including the running turn.
func (p *Processor) Usage() (conversation, day event.Totals, err error) {
	err = p.accounts.Look()
	id, activeErr := p.goingOn()
	conversation, day = p.accounts.Today(id)
	return conversation, day, errors.Join(err, activeErr)
}

// Context returns how many tokens of the model's window the conversation's last call took; zero means unknown.
func (p *Processor) Context() (tokens, window int) {
	id, err := p.goingOn()
	if err != nil || id == "" {
		return 0, 0
	}
	return p.accounts.Filled(id)
}

// goingOn returns the ID of the conversation that the next message continues; empty if there is none.
func (p *Processor) goingOn() (string, error) {
	if id := p.conversationID(); id != "" {
		return id, nil
	}
	c, err := p.opt.Conversations.Active()
	switch {
	case err != nil:
		return "", err
	case c != nil:
		return c.ID, nil
	}
	return p.nextID(), nil
}

// Costs returns the costs of the vault, including the running turn.
func (p *Processor) Costs() (event.Costs, error) {
	err := p.accounts.Look()
	return p.accounts.Costs(), err
}
