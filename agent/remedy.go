package agent

import (
	"context"
	"fmt"
	"slices"
	"time"

	"chatvault/agent/event"
	"chatvault/agent/history"
	"chatvault/agent/llm"
	"chatvault/internal/base/text"
)

// Keys of learned.unable, each followed by a provider's name.
const (
	lacksPrice = "price "  // its price is unknown
	noSchema   = "schema " // its endpoint supports no schemas or temperatures
)

// standInFor is how long a provider that failed permanently is not tried again.
const standInFor = 10 * time.Minute

// remedy changes what made a call fail and reports whether the call is repeated: the request loses what the model or its
// endpoint does not accept, the next provider takes over, or the user supplies what is missing. The user is notified.
// Tools that ran do not run again.
func (c *caller) remedy(ctx context.Context, req *llm.Request, e *llm.Error) bool {
	name := c.Provider.Name()
	switch {
	case e.Reason == llm.ReasonNoSight && c.learnUnseen(req.Messages):
		c.to(event.StateRetrying)
	case e.Reason == llm.ReasonSealed && history.Sealed(req.Messages): // not sent in later turns either
		req.Messages, c.Past, c.out.Unsealed = history.Unsealed(req.Messages), slices.Clone(c.Past), true
		for i, p := range c.Past {
			c.Past[i].Messages = history.Unsealed(p.Messages)
		}
		for i, m := range c.out.Messages {
			c.out.Messages[i].Echo = history.UnsealedEcho(m)
		}
		c.to(event.StateRetrying)
		c.notice(name + " refuses its earlier reasoning in this conversation, so it continues without it.")
	case e.Reason == llm.ReasonNone && e.Kind == llm.KindInvalidRequest && (req.Schema != nil || req.Literal || req.Answer != nil):
		req.Schema, req.Literal, req.Answer = nil, false, nil
		c.unable.Store(noSchema+name, true)
	case e.Reason == llm.ReasonTooLarge && e.Status != 0 && c.showFewer(): // 0: what is too large is the answer
		req.Messages = c.view.Apply(req.Messages)
	default:
		return c.fallBack(e) || c.supply(ctx, e)
	}
	return true
}

// fallBack switches to the next provider of the chain and notifies the user. It returns false if there is none.
func (c *caller) fallBack(e *llm.Error) bool {
	if len(c.Fallback) == 0 || !llm.FallsBack(e) {
		return false
	}
	failed := c.Provider.Name()
	c.outages.Store(failed, time.Now())
	c.Provider, c.Fallback, c.fellBack = c.Fallback[0], c.Fallback[1:], true
	c.retrying(1, 0, e)
	c.Emit(event.FellBack{Meta: c.meta(), From: failed, To: c.Provider.Name(), Code: e.Kind, Reason: e.Message})
	c.notice(fmt.Sprintf("%s failed (%s). %s takes over.", failed, text.Excerpt(e.Error(), 200), c.Provider.Name()))
	return true
}

// Supplier gets from the user what a provider cannot work without: its key, or the name of a model.
type Supplier interface {
	// Lacks returns the request to which an answer may make the call succeed that failed with err; false if there is
	// none. Its Text explains why it is asked, in the provider's words, and how the value is used.
	Lacks(p llm.Provider, err *llm.Error) (event.Request, bool)
	// Supply gives the typed value to the provider for its next call. said is shown to the user. The error says why
	// the value is not accepted. Neither contains the value.
	Supply(ctx context.Context, p llm.Provider, q event.Request, value string) (said string, err error)
}

// maxSupplied bounds how often a turn asks for what its provider lacks.
const maxSupplied = 3

// supply asks the user for what the provider lacks and reports whether the call may now succeed.
func (c *caller) supply(ctx context.Context, e *llm.Error) bool {
	if !c.asks() || c.host.opt.Supplier == nil {
		return false
	}
	supplier := c.host.opt.Supplier
	q, ok := supplier.Lacks(c.Provider, e)
	if ok {
		c.said = "" // what was typed before is refused
	}
	for ok && c.supplied < maxSupplied {
		c.supplied++
		a, err := c.ask(ctx, q)
		if err != nil || a.Decision != event.Provide {
			return false
		}
		said, err := supplier.Supply(ctx, c.Provider, q, a.Value)
		if ctx.Err() != nil {
			return false
		}
		if err == nil {
			c.said = said
			c.retrying(2, 0, e)
			return true
		}
		c.Log.Warn("what was typed for the provider was not accepted", "turn", c.TurnID, "name", q.Name, "error", err)
		if again, lacks := supplier.Lacks(c.Provider, e); lacks {
			q = again
		}
		q.Text = "Not accepted: " + err.Error() + ".\n" + q.Text
	}
	return false
}
