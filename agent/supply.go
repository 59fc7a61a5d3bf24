package agent

import (
	"context"

	"chatvault/agent/event"
	"chatvault/agent/llm"
)

// Supplier gets from the user what a provider cannot work without: its key, or the name of a
// model.
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

// supply asks the user for what the provider lacks that failed; true when the call may now
// succeed. What the turn did so far stays, and is not done again.
func (c *caller) supply(ctx context.Context, err error) bool {
	if !c.asks() || c.host.opt.Supplier == nil {
		return false
	}
	supplier := c.host.opt.Supplier
	e := llm.AsError(err)
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
