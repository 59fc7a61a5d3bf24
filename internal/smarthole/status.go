package smarthole

import "sync"

// State is how the connection stands.
type State string

// The states.
const (
	Disabled     State = "disabled"
	Connecting   State = "connecting"
	Connected    State = "connected"
	Disconnected State = "disconnected" // and tried again, unless Reason says that it cannot help
)

// Status is a State and, where there is one, the reason for it.
type Status struct {
	State  State
	Reason string // for the user; empty: none
}

// statusBoard shows the newest status to whoever looks, and wakes one that waits for news.
type statusBoard struct {
	mu   sync.Mutex
	now  Status
	news chan struct{} // holds a token when now changed
}

func newBoard() *statusBoard {
	return &statusBoard{now: Status{State: Disabled}, news: make(chan struct{}, 1)}
}

func (b *statusBoard) set(s Status) {
	b.mu.Lock()
	changed := b.now != s
	b.now = s
	b.mu.Unlock()
	if changed {
		select {
		case b.news <- struct{}{}:
		default: // somebody was told already and will see this one
		}
	}
}

func (b *statusBoard) get() Status {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.now
}
