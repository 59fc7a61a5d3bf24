package llm

import (
	"errors"
	"fmt"
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

// Known reasons.
const (
	ReasonNone          Reason = ""
	ReasonQuota         Reason = "quota"           // paid quota or credit used up: not retryable
	ReasonModelNotFound Reason = "model_not_found" // the endpoint does not have this model
	ReasonContextLength Reason = "context_length"  // the history is longer than the model's window
	ReasonCertificate   Reason = "certificate"     // TLS verification failed: never retried
	ReasonNotAnAPI      Reason = "not_an_api"      // HTML, a captive portal, a redirect, a proxy
	ReasonTooLarge      Reason = "too_large"       // a line, response or argument over its bound
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
	KeyEnv     string        // the variable this provider's key is usually in; empty where it is not known
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

// Retryable says whether the same call may succeed in a moment.
func (e *Error) Retryable() bool {
	return !e.Final && (e.Kind == KindRateLimit || e.Kind == KindNetwork)
}

// AsError returns err as *Error; an error of any other type becomes KindNetwork, final.
func AsError(err error) *Error {
	if err == nil {
		return nil
	}
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return &Error{Kind: KindNetwork, Final: true, Err: err}
}
