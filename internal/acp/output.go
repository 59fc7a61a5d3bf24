package acp

import (
	"bytes"
	"io"
	"sync"
)

// output is where messages are written, one at a time. It knows when the answer was written that first
// names a session.
type output struct {
	to io.Writer

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
	n, err := o.to.Write(message)
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
