package agent

import (
	"context"

	"chatvault/agent/event"
	"chatvault/agent/llm"
)

// Supplier gets from the user what a provider cannot work without: its key, or the name of a
// model.
type Supplier interface {
	// Lacks says what to ask for, so that a call that failed with err may succeed; false where
	// nothing the user could type would help. The Text of the request says why it is asked, in
	// the provider's words, and what becomes of what is typed.
	Lacks(p llm.Provider, err *llm.Error) (event.Request, bool)
	// Supply takes what was typed and gives it to the provider: its next call uses it. said is
	// told to the user. An error says why it is not taken; neither repeats it.
	Supply(ctx context.Context, p llm.Provider, q event.Request, value string) (said string, err error)
}

// maxSupplied bounds how often a turn asks for what its provider lacks.
const maxSupplied = 3

// supply asks the user for what the provider lacks that failed; true when the call may now
// succeed. What the turn did so far stays, and is not done again.
func (r *run) supply(ctx context.Context, err error) bool {
	if !r.asks() || r.proc.opt.Supplier == nil {
		return false
	}
	supplier := r.proc.opt.Supplier
	e := llm.AsError(err)
	q, ok := supplier.Lacks(r.Provider, e)
	if ok {
		r.said = "" // what was typed before is refused
	}
	for ok && r.supplied < maxSupplied {
		r.supplied++
		a, err := r.ask(ctx, q)
		if err != nil || a.Decision != event.Provide {
			return false
		}
		said, err := supplier.Supply(ctx, r.Provider, q, a.Value)
		if ctx.Err() != nil {
			return false
		}
		if err == nil {
			r.said = said
			r.retrying(2, 0, e)
			return true
		}
		r.Log.Warn("what was typed for the provider was not accepted", "turn", r.TurnID, "name", q.Name, "error", err)
		if again, lacks := supplier.Lacks(r.Provider, e); lacks {
			q = again
		}
		q.Text = "Not accepted: " + err.Error() + ".\n" + q.Text
	}
	return false
}

// tellSupplied tells the user what became of what they typed, once it is known to be of use.
func (r *run) tellSupplied() {
	if r.said != "" {
		r.notice(r.said)
		r.said = ""
	}
}
