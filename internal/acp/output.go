package acp

import (
	"bytes"
	"encoding/json"
	"io"
	"sync"

	protocol "github.com/coder/acp-go-sdk"
)

// output is where messages are written, one at a time. It knows when the answer was written that first
// names a session.
type output struct {
	to   io.Writer
	lost func() // is called when nobody reads it any more

	writing sync.Mutex
	mu      sync.Mutex
	waiting map[string]chan struct{} // by the session's id
}

// names is closed once an answer that names a session was written.
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

// refuse answers a request that the connection does not get to see.
func (o *output) refuse(id json.RawMessage, e *protocol.RequestError) {
	line, err := json.Marshal(struct {
		Version string                 `json:"jsonrpc"`
		ID      json.RawMessage        `json:"id"`
		Error   *protocol.RequestError `json:"error"`
	}{"2.0", id, e})
	if err == nil {
		_, _ = o.Write(append(line, '\n')) // that nobody reads it is noticed there
	}
}
