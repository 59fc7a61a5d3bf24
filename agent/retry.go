package agent

import (
	"time"

	"chatvault/agent/llm"
)

// RetryPolicy says when a failed model call is tried again.
type RetryPolicy struct {
	Delays        []time.Duration // before the second, third… attempt
	MaxRetryAfter time.Duration   // a server that asks for longer is not waited for
}

// DefaultRetry makes attempts after 0, 1, 2 and 4 s.
var DefaultRetry = RetryPolicy{
	Delays:        []time.Duration{time.Second, 2 * time.Second, 4 * time.Second},
	MaxRetryAfter: time.Minute,
}

// Next returns how long to wait after the given attempt (1, 2…) failed with err; false when
// the call is not tried again.
func (p RetryPolicy) Next(attempt int, err *llm.Error) (time.Duration, bool) {
	if attempt > len(p.Delays) || !err.Retryable() || err.RetryAfter > p.MaxRetryAfter {
		return 0, false
	}
	if err.RetryAfter > 0 {
		return err.RetryAfter, true
	}
	return p.Delays[attempt-1], true
}
