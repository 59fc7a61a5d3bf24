package llm

import (
	"errors"
	"net/http"
	"time"
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
func (p RetryPolicy) Next(attempt int, err *Error) (time.Duration, bool) {
	if attempt > len(p.Delays) || !err.Retryable() || err.RetryAfter > p.MaxRetryAfter {
		return 0, false
	}
	if err.RetryAfter > 0 {
		return err.RetryAfter, true
	}
	return p.Delays[attempt-1], true
}

// FallsBack says whether another provider may succeed where this one failed: it could not be
// reached, it refuses us, or it refuses a form of request that others take. What is too long for one
// is made shorter instead.
func FallsBack(err error) bool {
	var e *Error
	if !errors.As(err, &e) {
		return false
	}
	switch e.Kind {
	case KindNetwork, KindRateLimit, KindAuth:
		return true
	case KindInvalidRequest:
		switch e.Reason {
		case ReasonModelNotFound, ReasonNoProvider, ReasonNoModel, ReasonNoTools, ReasonNoSight, ReasonSettings:
			return true
		case ReasonNone:
			return e.Status == http.StatusBadRequest || e.Status == http.StatusUnprocessableEntity
		}
		return false
	default:
		return e.Reason == ReasonQuota
	}
}
