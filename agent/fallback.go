package agent

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"chatvault/agent/event"
	"chatvault/agent/llm"
	"chatvault/conversation"
	"chatvault/internal/text"
)

// standInFor is how long a conversation stays with the provider that took over before the one that
// was chosen is tried again.
const standInFor = 10 * time.Minute

// fallBack goes over to the next provider of the chain, and tells the user which and why;
// false when there is none. What the turn did so far stays, and is not done again.
func (r *run) fallBack(err error) bool {
	if len(r.Fallback) == 0 || !llm.FallsBack(err) {
		return false
	}
	failed := r.Provider.Name()
	if r.windowOf != nil && failed == r.windowOf.Name() {
		r.out.Failed = time.Now()
	}
	r.Provider, r.Fallback, r.fellBack = r.Fallback[0], r.Fallback[1:], true
	r.out.Answered = false
	e := llm.AsError(err)
	r.retrying(1, 0, e)
	r.Emit(event.FellBack{Meta: r.meta(), From: failed, To: r.Provider.Name(), Code: e.Kind, Reason: e.Message})
	r.notice(fmt.Sprintf("%s failed (%s). %s takes over.", failed, text.Excerpt(e.Error(), 200), r.Provider.Name()))
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

// providerOrder are the providers that a turn calls, in order: the one that was chosen and those that take
// over, or, while one of these stands in for it, that one first, and those before it last.
func (p *Processor) providerOrder(t *turn) []llm.Provider {
	line := append([]llm.Provider{t.provider}, p.opt.Fallback...)
	if t.conv == nil || len(t.conv.Turns) == 0 {
		return line
	}
	p.mu.Lock()
	chosen := p.chosen
	p.mu.Unlock()
	last := t.conv.Turns[len(t.conv.Turns)-1]
	first := firstProvider(text.Of(line, llm.Provider.Name), last, chosen, time.Now())
	return slices.Concat(line[first:], line[:first])
}

// firstProvider says which of the providers of these names, the chosen one before the others, the next
// turn after this one begins with. chosen is when it was.
func firstProvider(names []string, last conversation.Turn, chosen, now time.Time) int {
	s := last.StandIn
	switch {
	case s == nil || !sameProvider(s.For, names[0]):
		return 0
	case s.Since.Before(chosen) || s.Since.After(now) || now.Sub(s.Since) >= standInFor:
		return 0
	}
	return max(0, slices.IndexFunc(names, func(name string) bool { return sameProvider(last.Provider, name) }))
}

// sameProvider says whether two names are of the same provider: one may have been used before it was
// known which model that provider has.
func sameProvider(a, b string) bool {
	return a == b || strings.HasPrefix(a, b+"/") || strings.HasPrefix(b, a+"/")
}

// lastStandIn is who stood in for whom in the last turn of a conversation.
func lastStandIn(c *conversation.Conversation) *conversation.StandIn {
	if c == nil || len(c.Turns) == 0 {
		return nil
	}
	return c.Turns[len(c.Turns)-1].StandIn
}

// standIn is what a turn leaves of a chosen provider that cannot answer: nil where it did, or where all
// failed. before is what the turn before it left.
func standIn(chosen string, out Outcome, before *conversation.StandIn) *conversation.StandIn {
	switch {
	case out.Provider == "": // none was called
		return before
	case !out.Answered || out.Provider == chosen:
		return nil
	case !out.Failed.IsZero():
		return &conversation.StandIn{For: chosen, Since: out.Failed}
	case before != nil && sameProvider(before.For, chosen): // it was not called in between
		return before
	}
	return nil
}
