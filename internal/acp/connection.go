package acp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"

	protocol "github.com/coder/acp-go-sdk"

	"chatvault/internal/lazyregexp"
	"chatvault/internal/routine"
)

// order forwards what the editor sends, line by line, and records the order of prompts and cancels. Requests are
// handled concurrently, so a cancel may be handled before the prompt sent before it.
type order struct {
	from    *bufio.Reader
	rest    []byte                   // of a line, to be forwarded
	ready   chan struct{}            // closed when the connection is set up, which reads from its creation on
	tooLong func(id json.RawMessage) // called for a request that is not forwarded

	mu       sync.Mutex
	sessions map[protocol.SessionId]*sent
}

// sent counts the prompts of a session: those sent, those sent before the last cancel, and those begun.
type sent struct{ prompts, cancelled, begun int }

const (
	// maxLine is the maximum length of a line in bytes, including its end: the SDK closes the connection at 10 MB.
	maxLine = 10<<20 - 1
	// maxLooked is how much of a longer line is searched for its request ID.
	maxLooked = 1 << 10
)

func newOrder(from io.Reader) *order {
	return &order{from: bufio.NewReaderSize(from, 64<<10), ready: make(chan struct{}), tooLong: func(json.RawMessage) {}, sessions: map[protocol.SessionId]*sent{}}
}

func (o *order) Read(p []byte) (int, error) {
	<-o.ready
	for len(o.rest) == 0 {
		line, err := o.line()
		if len(line) > maxLine {
			o.refuse(line)
			line = nil
		}
		o.look(line)
		if o.rest = line; err != nil && len(line) == 0 {
			return 0, err
		}
	}
	n := copy(p, o.rest)
	o.rest = o.rest[n:]
	return n, nil
}

// line returns the next line with its end. Of one that is too long it returns only the start.
func (o *order) line() (line []byte, err error) {
	for {
		part, err := o.from.ReadSlice('\n')
		if len(line) <= maxLine {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// refuse answers a request that is too long if its start has the ID and the method.
func (o *order) refuse(line []byte) {
	if m := requestID().FindSubmatch(line[:maxLooked]); m != nil && bytes.Contains(line[:maxLooked], []byte(`"method"`)) {
		o.tooLong(m[1])
	}
}

// requestID matches the ID at the start of a request.
var requestID = lazyregexp.New(`^\s*\{\s*(?:"(?:jsonrpc|method)"\s*:\s*"[^"]*"\s*,\s*){0,2}"id"\s*:\s*("[^"]*"|\d+)`)

// look records a line that is a prompt or a cancel.
func (o *order) look(line []byte) {
	if !bytes.Contains(line, []byte(protocol.AgentMethodSessionPrompt)) && !bytes.Contains(line, []byte(protocol.AgentMethodSessionCancel)) {
		return
	}
	var m struct {
		Method string `json:"method"`
		Params struct {
			SessionID protocol.SessionId `json:"sessionId"`
		} `json:"params"`
	}
	if json.Unmarshal(line, &m) != nil {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	s := o.of(m.Params.SessionID)
	switch m.Method {
	case protocol.AgentMethodSessionPrompt:
		s.prompts++
	case protocol.AgentMethodSessionCancel:
		s.cancelled = s.prompts
	}
}

// begins records that a prompt is being handled, and reports whether it was already cancelled.
func (o *order) begins(id protocol.SessionId) (cancelled bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	s := o.of(id)
	s.begun++
	return s.begun <= s.cancelled
}

func (o *order) of(id protocol.SessionId) *sent {
	if o.sessions[id] == nil {
		o.sessions[id] = &sent{}
	}
	return o.sessions[id]
}

// output writes messages one at a time, and detects the first answer that names a session.
type output struct {
	to   io.Writer
	lost func() // called when the reader is gone

	writing sync.Mutex
	mu      sync.Mutex
	waiting map[string]chan struct{} // by session ID
}

// names returns a channel that is closed when an answer that names a session has been written.
func (o *output) names(session string) <-chan struct{} {
	o.mu.Lock()
	defer o.mu.Unlock()
	named := make(chan struct{})
	o.waiting[session] = named
	return named
}

// Write writes a message.
func (o *output) Write(message []byte) (int, error) {
	o.writing.Lock()
	n, err := o.to.Write(message)
	o.writing.Unlock()
	if err != nil {
		o.lost()
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	for id, named := range o.waiting {
		if bytes.Contains(message, []byte(id)) && bytes.Contains(message, []byte(`"result"`)) {
			close(named)
			delete(o.waiting, id)
		}
	}
	return n, err
}

// refuse answers a request that the connection does not see.
func (o *output) refuse(id json.RawMessage, e *protocol.RequestError) {
	line, err := json.Marshal(struct {
		Version string                 `json:"jsonrpc"`
		ID      json.RawMessage        `json:"id"`
		Error   *protocol.RequestError `json:"error"`
	}{"2.0", id, e})
	if err == nil {
		_, _ = o.Write(append(line, '\n')) // a lost reader is detected there
	}
}

// The protocol's error codes.
const (
	codeNotFound = -32002
	codeInvalid  = -32602
)

// handle handles a request or a notification of the editor.
func (s *server) handle(ctx context.Context, method string, params json.RawMessage) (result any, err *protocol.RequestError) {
	routine.Guard("acp request", func() { result, err = s.route(ctx, method, params) })()
	return result, err
}

func (s *server) route(ctx context.Context, method string, params json.RawMessage) (any, *protocol.RequestError) {
	switch method {
	case protocol.AgentMethodInitialize:
		return with(ctx, params, s.initialize)
	case protocol.AgentMethodAuthenticate:
		return struct{}{}, nil // not needed by anything
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

// with decodes and validates a method's parameters and calls it.
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

// failed converts an error for the editor. Its text is the message, which every editor shows.
func failed(err error) *protocol.RequestError {
	if e, ok := errors.AsType[*protocol.RequestError](err); ok {
		return e
	}
	return &protocol.RequestError{Code: -32603, Message: err.Error()}
}
