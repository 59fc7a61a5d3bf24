package agent

import (
	"errors"
	"fmt"
	"time"

	"chatvault/agent/event"
	"chatvault/agent/llm"
	"chatvault/internal/text"
)

// standInFor is how long a provider that failed permanently is not tried again.
const standInFor = 10 * time.Minute

// fallBack switches to the next provider of the chain and notifies the user. It returns false if there is none.
// Completed steps of the turn are kept.
func (r *run) fallBack(err error) bool {
	if len(r.Fallback) == 0 || !llm.FallsBack(err) {
		return false
	}
	failed := r.Provider.Name()
	r.outages.Store(failed, time.Now())
	r.Provider, r.Fallback, r.fellBack = r.Fallback[0], r.Fallback[1:], true
	r.out.Answered = false
	e := llm.AsError(err)
	r.retrying(1, 0, e)
	r.Emit(event.FellBack{Meta: r.meta(), From: failed, To: r.Provider.Name(), Code: e.Kind, Reason: e.Message})
	r.notice(fmt.Sprintf("%s failed (%s). %s takes over.", failed, text.Excerpt(e.Error(), 200), r.Provider.Name()))
	return true
}

// named adds the provider's name to an error if other providers failed before it.
func (r *run) named(err error) error {
	var e *llm.Error
	if !r.fellBack || !errors.As(err, &e) {
		return err
	}
	whose := *e
	whose.Last = r.Provider.Name()
	return &whose
}

// providerOrder returns the providers of a turn in order: the chosen one and its fallbacks, those that failed
// permanently within standInFor last. Choosing a provider again makes it first again.
func (p *Processor) providerOrder(t *turn) []llm.Provider {
	p.mu.Lock()
	chosen := p.chosen
	p.mu.Unlock()
	var up, down []llm.Provider
	for i, provider := range append([]llm.Provider{t.provider}, p.opt.Fallback...) {
		at, failed := p.outages.Load(provider.Name())
		if failed && time.Since(at.(time.Time)) < standInFor && (i > 0 || chosen.Before(at.(time.Time))) {
			down = append(down, provider)
		} else {
			up = append(up, provider)
		}
	}
	return append(up, down...)
}
