package acp

import (
	"context"
	"encoding/json"
	"errors"

	protocol "github.com/coder/acp-go-sdk"

	"chatvault/internal/routine"
)

// The protocol's codes for what is not there, and for what cannot be meant so.
const (
	codeNotFound = -32002
	codeInvalid  = -32602
)

// handle answers a request of the editor's, or takes a notification.
func (s *server) handle(ctx context.Context, method string, params json.RawMessage) (result any, err *protocol.RequestError) {
	routine.Guard("acp request", func() { result, err = s.route(ctx, method, params) })()
	return result, err
}

func (s *server) route(ctx context.Context, method string, params json.RawMessage) (any, *protocol.RequestError) {
	switch method {
	case protocol.AgentMethodInitialize:
		return with(ctx, params, s.initialize)
	case protocol.AgentMethodAuthenticate:
		return struct{}{}, nil // nothing needs it
	case protocol.AgentMethodSessionNew:
		return with(ctx, params, s.newSession)
	case protocol.AgentMethodSessionLoad:
		return with(ctx, params, s.loadSession)
	case protocol.AgentMethodSessionResume:
		return with(ctx, params, s.resumeSession)
	case protocol.AgentMethodSessionList:
		return with(ctx, params, s.listSessions)
	case protocol.AgentMethodSessionClose:
		return with(ctx, params, s.closeSession)
	case protocol.AgentMethodSessionPrompt:
		return with(ctx, params, s.prompt)
	case protocol.AgentMethodSessionCancel:
		return with(ctx, params, s.cancel)
	case protocol.AgentMethodSessionSetMode:
		return with(ctx, params, s.setMode)
	}
	return nil, protocol.NewMethodNotFound(method)
}

// with reads what a method is called with, and calls it.
func with[P, R any](ctx context.Context, params json.RawMessage, do func(context.Context, P) (R, error)) (any, *protocol.RequestError) {
	var p P
	err := json.Unmarshal(params, &p)
	if v, ok := any(&p).(interface{ Validate() error }); ok && err == nil {
		err = v.Validate()
	}
	if err != nil {
		return nil, protocol.NewInvalidParams(map[string]any{"error": err.Error()})
	}
	r, err := do(ctx, p)
	if err != nil {
		return nil, failed(err)
	}
	return r, nil
}

// failed is an error as the editor shows it: its text is the message, which every editor shows.
func failed(err error) *protocol.RequestError {
	var e *protocol.RequestError
	if errors.As(err, &e) {
		return e
	}
	return &protocol.RequestError{Code: -32603, Message: err.Error()}
}
