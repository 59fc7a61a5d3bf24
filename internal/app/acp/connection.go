package acp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"
	"time"

	protocol "github.com/coder/acp-go-sdk"

	"chatvault/internal/base/routine"
)

// order forwards what the editor sends, line by line. The SDK handles requests concurrently, so order forwards nothing
// after a prompt or a cancel before that has taken effect: a cancel stops the prompts sent before it and no others.
type order struct {
	from    *bufio.Reader
	rest    []byte        // of a line, to be forwarded
	ready   chan struct{} // closed when the connection is set up, which reads from its creation on
	pending bool          // the last forwarded line is a prompt or a cancel
	handled chan struct{} // receives when that has taken effect
}

// maxLine is the maximum length of a line in bytes, including its end: the SDK closes the connection at 10 MB.
const maxLine = 10<<20 - 1

func newOrder(from io.Reader) *order {
	return &order{from: bufio.NewReaderSize(from, 64<<10), ready: make(chan struct{}), handled: make(chan struct{}, 1)}
}

func (o *order) Read(p []byte) (int, error) {
	<-o.ready
	for len(o.rest) == 0 {
		o.wait()
		line, err := o.from.ReadBytes('\n')
		if len(line) > maxLine {
			line = shortened(line)
		}
		if o.pending = bytes.Contains(line, promptMethod) || bytes.Contains(line, cancelMethod); o.pending {
			select {
			case <-o.handled: // of an earlier line, after the wait for it
			default:
			}
		}
		if o.rest = line; err != nil && len(line) == 0 {
			return 0, err
		}
	}
	n := copy(p, o.rest)
	o.rest = o.rest[n:]
	return n, nil
}

// Prompts and cancels contain these bytes. Text in a JSON string does not, as its quotation marks are escaped.
var (
	promptMethod = []byte(`"` + protocol.AgentMethodSessionPrompt + `"`)
	cancelMethod = []byte(`"` + protocol.AgentMethodSessionCancel + `"`)
)

// handledWait bounds the wait for a line that has no effect, or whose effect waits for an editor that reads nothing.
const handledWait = 500 * time.Millisecond

// wait waits until the last forwarded prompt or cancel has taken effect.
func (o *order) wait() {
	if !o.pending {
		return
	}
	select {
	case <-o.handled:
	case <-time.After(handledWait):
	}
}

// done reports that a prompt or a cancel has taken effect.
func (o *order) done() {
	select {
	case o.handled <- struct{}{}:
	default:
	}
}

// methodTooLong takes the place of a method whose request is too long.
const methodTooLong = "too long"

// shortened returns a request with the ID of one that is too long, or nil for another line.
func shortened(line []byte) []byte {
	var r struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
	}
	if json.Unmarshal(line, &r) != nil || r.ID == nil || r.Method == "" {
		return nil
	}
	r.Method = methodTooLong
	short, _ := json.Marshal(r) // as it was decoded
	return append(short, '\n')
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

// The protocol's error codes.
const (
	codeNotFound = -32002
	codeInvalid  = -32602
)

// handle handles a request or a notification of the editor.
func (s *server) handle(ctx context.Context, name string, params json.RawMessage) (result any, err *protocol.RequestError) {
	routine.Guard("acp request", func() {
		if do := methods[name]; do != nil {
			result, err = do(s, ctx, params)
		} else {
			err = protocol.NewMethodNotFound(name)
		}
	})()
	return result, err
}

type handler func(s *server, ctx context.Context, params json.RawMessage) (any, *protocol.RequestError)

// errTooLong is the answer to a line longer than maxLine.
var errTooLong = &protocol.RequestError{Code: codeInvalid, Message: "The message is too long: at most 10 MB are taken, pictures included. Put the text into a note, or the picture into the vault, and refer to it."}

var methods = map[string]handler{
	methodTooLong: func(*server, context.Context, json.RawMessage) (any, *protocol.RequestError) { return nil, errTooLong },

	protocol.AgentMethodInitialize:             method((*server).initialize),
	protocol.AgentMethodAuthenticate:           method((*server).authenticate),
	protocol.AgentMethodSessionNew:             method((*server).newSession),
	protocol.AgentMethodSessionLoad:            method((*server).loadSession),
	protocol.AgentMethodSessionResume:          method((*server).resumeSession),
	protocol.AgentMethodSessionList:            method((*server).listSessions),
	protocol.AgentMethodSessionClose:           method((*server).closeSession),
	methodSessionDelete:                        method((*server).deleteSession),
	protocol.AgentMethodLogout:                 method((*server).logout),
	protocol.AgentMethodSessionPrompt:          method((*server).prompt),
	protocol.AgentMethodSessionCancel:          method((*server).cancel),
	protocol.AgentMethodSessionSetMode:         method((*server).setMode),
	protocol.AgentMethodSessionSetConfigOption: method((*server).setOption),
	protocol.AgentMethodSessionSetModel:        method((*server).setModel),
}

// method returns a handler that decodes and validates the parameters.
func method[P, R any](do func(*server, context.Context, P) (R, error)) handler {
	return func(s *server, ctx context.Context, params json.RawMessage) (any, *protocol.RequestError) {
		var p P
		err := json.Unmarshal(params, &p)
		if v, ok := any(&p).(interface{ Validate() error }); ok && err == nil {
			err = v.Validate()
		}
		if err != nil {
			switch any(p).(type) {
			case protocol.PromptRequest, protocol.CancelNotification:
				s.order.done()
			}
			return nil, protocol.NewInvalidParams(map[string]any{"error": err.Error()})
		}
		r, err := do(s, ctx, p)
		if err != nil {
			return nil, failed(err)
		}
		return r, nil
	}
}

// authenticate does nothing: no method needs it.
func (s *server) authenticate(context.Context, none) (none, error) { return none{}, nil }

// failed converts an error for the editor. Its text is the message, which every editor shows.
func failed(err error) *protocol.RequestError {
	if e, ok := errors.AsType[*protocol.RequestError](err); ok {
		return e
	}
	return &protocol.RequestError{Code: -32603, Message: err.Error()}
}
