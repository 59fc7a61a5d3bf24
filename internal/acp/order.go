package acp

import (
	"bytes"
	"encoding/json"
	"io"
	"sync"

	protocol "github.com/coder/acp-go-sdk"
)

// order keeps in which order prompts and cancels came. Each request is answered beside the others, so
// that a cancel may be taken before the prompt that it is meant for, which was sent before it.
type order struct {
	from  io.Reader
	line  []byte        // that is being read, as far as it is kept
	ready chan struct{} // closed when the connection is set up: it reads as soon as it is made

	mu       sync.Mutex
	sessions map[protocol.SessionId]*sent
}

// sent counts the prompts of a session: those that were sent, those of them before the last cancel, and
// those that were begun.
type sent struct{ prompts, cancelled, begun int }

// maxOrdered bounds how much of a line is kept to look at, in bytes: a longer prompt is not looked into,
// but the SDK gives up at one of 10 MB.
const maxOrdered = 10 << 20

func newOrder(from io.Reader) *order {
	return &order{from: from, ready: make(chan struct{}), sessions: map[protocol.SessionId]*sent{}}
}

func (o *order) Read(p []byte) (int, error) {
	<-o.ready
	n, err := o.from.Read(p)
	for rest := p[:n]; len(rest) > 0; {
		before, after, ok := bytes.Cut(rest, []byte{'\n'})
		if !ok {
			o.keep(rest)
			break
		}
		o.keep(before)
		o.look(o.line)
		o.line, rest = o.line[:0], after
	}
	return n, err
}

func (o *order) keep(part []byte) {
	if len(o.line)+len(part) <= maxOrdered {
		o.line = append(o.line, part...)
	}
}

// look takes note of a line that is a prompt or a cancel.
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

// begins says, of a prompt that is taken up now, whether it was cancelled already.
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
