package agent

import (
	"errors"
	"fmt"

	"chatvault/agent/llm"
)

// fallsBack says whether another provider may succeed where this one failed: it could not be
// reached, or it refuses us. A request that is itself wrong would be wrong there too.
func fallsBack(err error) bool {
	var e *llm.Error
	if !errors.As(err, &e) {
		return false
	}
	switch e.Kind {
	case llm.KindNetwork, llm.KindRateLimit, llm.KindAuth:
		return true
	default:
		return e.Reason == llm.ReasonModelNotFound || e.Reason == llm.ReasonQuota
	}
}

// fallBack goes over to the next provider of the chain, and tells the user which and why;
// false when there is none. What the turn did so far stays, and is not done again.
func (r *run) fallBack(err error) bool {
	if len(r.Fallback) == 0 || !fallsBack(err) {
		return false
	}
	failed := r.Provider.Name()
	r.Provider, r.Fallback, r.fellBack = r.Fallback[0], r.Fallback[1:], true
	r.to(StateRetrying)
	e := llm.AsError(err)
	r.Emit(Retry{r.meta(), 1, 0, e.Kind, e.Reason, e.Message}) // voids what the one that failed had said
	r.notice(fmt.Sprintf("%s failed (%s). %s takes over.", failed, excerpt(e.Error(), 200), r.Provider.Name()))
	return true
}

// named says of a failure whose it is, where others had failed before it.
func (r *run) named(err error) error {
	var e *llm.Error
	if !r.fellBack || !errors.As(err, &e) {
		return err
	}
	whose := *e
	whose.Last = r.Provider.Name()
	return &whose
}
