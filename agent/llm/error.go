package llm

import (
	"errors"
	"fmt"
	"net/http"
	"time"
)

// Kind classifies a failed model call. It decides whether to retry and what the user sees.
type Kind string

// The kinds.
const (
	KindAuth           Kind = "auth_error"
	KindRateLimit      Kind = "rate_limit"
	KindNetwork        Kind = "network_error" // also 408, 409, 425, 5xx, 529 and truncated streams
	KindInvalidRequest Kind = "invalid_request"
	KindAborted        Kind = "aborted"
)

// Reason narrows a Kind if another next step than the kind's usual one helps.
type Reason string

// The reasons. ReasonNone is the plain case of each kind: a wrong key, too many requests, no network, a refused
// request.
const (
	ReasonNone          Reason = ""
	ReasonDenied        Reason = "denied"          // KindAuth: the key is valid but lacks permission
	ReasonQuota         Reason = "quota"           // paid quota or credit used up: not retryable
	ReasonOverloaded    Reason = "overloaded"      // the provider is overloaded
	ReasonServer        Reason = "server_error"    // an internal error of the provider
	ReasonUnreachable   Reason = "unreachable"     // nothing answers at the address
	ReasonSilent        Reason = "silent"          // connected, but no answer in time
	ReasonBroken        Reason = "broken"          // the answer broke off
	ReasonCertificate   Reason = "certificate"     // TLS verification failed: never retried
	ReasonProxy         Reason = "proxy"           // a proxy refuses the connection
	ReasonNotAnAPI      Reason = "not_an_api"      // HTML, a captive portal, a redirect
	ReasonModelNotFound Reason = "model_not_found" // the endpoint does not have this model
	ReasonNoProvider    Reason = "no_provider"     // no configured provider can have the model
	ReasonNoModel       Reason = "no_model"        // none is named, and the endpoint lists none
	ReasonNoTools       Reason = "no_tools"        // the model cannot use tools
	ReasonToolsOff      Reason = "tools_off"       // the server was started without tool calls
	ReasonNoSight       Reason = "no_sight"        // the model cannot take pictures, or documents
	ReasonContextLength Reason = "context_length"  // the history is longer than the model's window
	ReasonTooLarge      Reason = "too_large"       // a line, response or argument exceeds its bound
	ReasonSettings      Reason = "settings"        // the settings are invalid; nothing was sent
	ReasonSealed        Reason = "sealed"          // reasoning sent back with earlier answers is refused
	ReasonFiltered      Reason = "content_filter"  // the content of the request is refused
	ReasonBadCall       Reason = "bad_call"        // the endpoint cannot parse a tool call of the model
)

// Setting is something that a provider needs.
type Setting struct {
	Name   string // "OPENAI_API_KEY", "model"
	Secret bool   // typed hidden, never shown
}

// Error is a failed model call.
type Error struct {
	Kind       Kind
	Reason     Reason
	Status     int           // HTTP status; 0 if none
	Message    string        // the provider's own words, keys removed; may be empty
	RetryAfter time.Duration // requested by the server; 0 if not
	Final      bool          // not retryable although the Kind is
	SetKey     string        // how to set the key of the provider, as part of a sentence; may be empty
	Last       string        // the last of several providers, if all failed
	First      bool          // the call was for the first message of its conversation
	Missing    Setting       // what the user has to supply; zero if unknown
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

// maxRetryAfter is the longest wait a server may request before a retry.
const maxRetryAfter = time.Minute

// Retryable reports whether the same call may succeed in a moment.
func (e *Error) Retryable() bool {
	return !e.Final && e.RetryAfter <= maxRetryAfter && (e.Kind == KindRateLimit || e.Kind == KindNetwork)
}

// Words returns the provider's own words for a failure, or else the error text.
func Words(err error) string {
	if e, ok := errors.AsType[*Error](err); ok && e.Message != "" {
		return e.Message
	}
	return err.Error()
}

// AsError returns err as *Error; any other type becomes a final error of KindNetwork.
func AsError(err error) *Error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	return &Error{Kind: KindNetwork, Final: true, Err: err}
}

// RetryPolicy holds the waits before the second, third … attempt.
type RetryPolicy []time.Duration

// DefaultRetry makes attempts after 0, 1, 2 and 4 s.
var DefaultRetry = RetryPolicy{time.Second, 2 * time.Second, 4 * time.Second}

// Next returns the wait after attempt number attempt (from 1) failed, or false if there is no retry.
func (p RetryPolicy) Next(attempt int, err *Error) (time.Duration, bool) {
	if attempt > len(p) || !err.Retryable() {
		return 0, false
	}
	if err.RetryAfter > 0 {
		return err.RetryAfter, true
	}
	return p[attempt-1], true
}

// FallsBack reports whether another provider may succeed: this one is unreachable, refuses us, or refuses a form of
// request that others accept. A request that is too long is shortened instead.
func FallsBack(err error) bool {
	e, ok := errors.AsType[*Error](err)
	if !ok || e.Kind != KindInvalidRequest {
		return ok && (e.Kind == KindNetwork || e.Kind == KindRateLimit || e.Kind == KindAuth || e.Reason == ReasonQuota)
	}
	switch e.Reason {
	case ReasonModelNotFound, ReasonNoProvider, ReasonNoModel, ReasonNoTools, ReasonToolsOff, ReasonNoSight, ReasonSettings, ReasonSealed, ReasonBadCall:
		return true
	}
	return e.Reason == ReasonNone && (e.Status == http.StatusBadRequest || e.Status == http.StatusUnprocessableEntity)
}
