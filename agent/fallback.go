package agent

import (
	"errors"
	"fmt"
	"time"

	"chatvault/agent/event"
	"chatvault/agent/llm"
	"chatvault/internal/base/text"
)

// standInFor is how long a provider that failed permanently is not tried again.
const standInFor = 10 * time.Minute

// fallBack switches to the next provider of the chain and notifies the user. It returns false if there is none.
// Completed steps of the turn are kept.
func (c *caller) fallBack(err error) bool {
	if len(c.Fallback) == 0 || !llm.FallsBack(err) {
		return false
	}
	failed := c.Provider.Name()
	c.outages.Store(failed, time.Now())
	c.Provider, c.Fallback, c.fellBack = c.Fallback[0], c.Fallback[1:], true
	c.out.Answered = false
	e := llm.AsError(err)
	c.retrying(1, 0, e)
	c.Emit(event.FellBack{Meta: c.meta(), From: failed, To: c.Provider.Name(), Code: e.Kind, Reason: e.Message})
	c.notice(fmt.Sprintf("%s failed (%s). %s takes over.", failed, text.Excerpt(e.Error(), 200), c.Provider.Name()))
	return true
}

// named adds the provider's name to an error if other providers failed before it.
func (c *caller) named(err error) error {
	var e *llm.Error
	if !c.fellBack || !errors.As(err, &e) {
		return err
	}
	whose := *e
	whose.Last = c.Provider.Name()
	return &whose
}
