package llm

import (
	"errors"
	"fmt"
	"net/http"
	"time"
)

// Kind classifies a failed model call; it decides retry and the text the user sees.
type Kind string

// The kinds: each has a text of its own for the user, and its own rule for retries.
const (
	KindAuth           Kind = "auth_error"
	KindRateLimit      Kind = "rate_limit"
	KindNetwork        Kind = "network_error" // also 408, 409, 425, 5xx, 529 and truncated streams
	KindInvalidRequest Kind = "invalid_request"
	KindAborted        Kind = "aborted"
)

// Reason narrows a Kind where something else than the kind's usual next step helps.
type Reason string

// Known reasons. ReasonNone is of each kind the plain case: the key, too many requests, no network, a
// request that the provider refused.
const (
	ReasonNone          Reason = ""
	ReasonDenied        Reason = "denied"          // KindAuth: the key is known, and may not do this
	ReasonQuota         Reason = "quota"           // paid quota or credit used up: not retryable
	ReasonOverloaded    Reason = "overloaded"      // the provider has too much to do, whoever asks
	ReasonServer        Reason = "server_error"    // a fault of the provider's
	ReasonUnreachable   Reason = "unreachable"     // the network is there, and nothing answers at the address
	ReasonSilent        Reason = "silent"          // connected, and nothing came in time
	ReasonBroken        Reason = "broken"          // the answer began, and did not come whole
	ReasonCertificate   Reason = "certificate"     // TLS verification failed: never retried
	ReasonProxy         Reason = "proxy"           // a proxy refuses the connection
	ReasonNotAnAPI      Reason = "not_an_api"      // HTML, a captive portal, a redirect
	ReasonModelNotFound Reason = "model_not_found" // the endpoint does not have this model
	ReasonNoProvider    Reason = "no_provider"     // none is configured that the model could be of
	ReasonNoModel       Reason = "no_model"        // none is named, and the endpoint does not say which it has
	ReasonNoTools       Reason = "no_tools"        // the model cannot use tools
	ReasonToolsOff      Reason = "tools_off"       // the server was started without tool calls
	ReasonNoSight       Reason = "no_sight"        // the model cannot take pictures, or documents
	ReasonContextLength Reason = "context_length"  // the history is longer than the model's window
	ReasonTooLarge      Reason = "too_large"       // a line, response or argument over its bound
	ReasonSettings      Reason = "settings"        // what is configured cannot work: nothing was sent
	ReasonSealed        Reason = "sealed"          // the reasoning that went back with earlier answers is refused
	ReasonFiltered      Reason = "content_filter"  // what the request says is refused
	ReasonBadCall       Reason = "bad_call"        // the model wrote a tool call that the endpoint cannot read
)

// Setting is something a provider cannot be made or called without.
type Setting struct {
	Name   string // as it is configured: "OPENAI_API_KEY", "model"
	Secret bool   // it is typed hidden, and never shown
}

// Error is a failed model call.
type Error struct {
	Kind       Kind
	Reason     Reason
	Status     int           // HTTP status, 0 where none
	Message    string        // the provider's own words, keys removed; may be empty
	RetryAfter time.Duration // what the server asked for; 0 where it did not
	Final      bool          // not retryable although the Kind is
	KeyEnv     string        // the variable this provider's key is configured to be in, else usually in; empty where it is not known
	KeyAt      string        // where else the key is configured: "api_key in FILE:LINE"; empty where it is in a variable, or nowhere
	Models     []string      // that the provider has, where the one that was asked for is none of them
	Last       string        // the provider that failed, where it was the last of several; else empty
	First      bool          // the call was for the first message of its conversation
	Missing    Setting       // what a user could give so that the call works; zero where that is not known
	Err        error         // cause, for the log
}

func (e *Error) Error() string {
	s := string(e.Kind)
	if e.Status != 0 {
		s += fmt.Sprintf(" (HTTP %d)", e.Status)
	}
	if e.Message != "" {
		return s + ": " + e.Message
	}
	if e.Err != nil {
		return s + ": " + e.Err.Error()
	}
	return s
}

func (e *Error) Unwrap() error { return e.Err }

// maxRetryAfter is how long a server may ask to be waited for.
const maxRetryAfter = time.Minute

// Retryable says whether the same call may succeed in a moment.
func (e *Error) Retryable() bool {
	return !e.Final && e.RetryAfter <= maxRetryAfter && (e.Kind == KindRateLimit || e.Kind == KindNetwork)
}

// Words are the provider's own words of a failure, else all that is known of it.
func Words(err error) string {
	if e, ok := errors.AsType[*Error](err); ok && e.Message != "" {
		return e.Message
	}
	return err.Error()
}

// AsError returns err as *Error; an error of any other type becomes KindNetwork, final.
func AsError(err error) *Error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	return &Error{Kind: KindNetwork, Final: true, Err: err}
}

// RetryPolicy says when a failed model call is tried again: how long is waited before the second,
// third… attempt.
type RetryPolicy []time.Duration

// DefaultRetry makes attempts after 0, 1, 2 and 4 s.
var DefaultRetry = RetryPolicy{time.Second, 2 * time.Second, 4 * time.Second}

// Next returns how long to wait after the given attempt (1, 2…) failed with err; false when
// the call is not tried again.
func (p RetryPolicy) Next(attempt int, err *Error) (time.Duration, bool) {
	if attempt > len(p) || !err.Retryable() {
		return 0, false
	}
	if err.RetryAfter > 0 {
		return err.RetryAfter, true
	}
	return p[attempt-1], true
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
		case ReasonModelNotFound, ReasonNoProvider, ReasonNoModel, ReasonNoTools, ReasonToolsOff, ReasonNoSight, ReasonSettings, ReasonSealed, ReasonBadCall:
			return true
		case ReasonNone:
			return e.Status == http.StatusBadRequest || e.Status == http.StatusUnprocessableEntity
		}
		return false
	default:
		return e.Reason == ReasonQuota
	}
}
