package conversation

import (
	"errors"
	"io/fs"
	"os"
	"sync"
	"time"
)

// Options of a Manager.
type Options struct {
	IdleTimeout time.Duration // the active conversation ends after it; 0: never
	// Warn hears of files that were set aside; nil: nobody does.
	Warn func(text string)
}

// Manager keeps the active conversation of a vault. It is safe for concurrent use in one
// process; processes take turns by the processor's lock, and Begin reads what another wrote.
type Manager struct {
	store store
	opt   Options

	mu     sync.Mutex
	active *Conversation // nil: none
}

// NewManager returns the manager of the conversations below root, the vault's .smarthole
// folder. It reads nothing yet.
func NewManager(root *os.Root, opt Options) *Manager {
	if opt.Warn == nil {
		opt.Warn = func(string) {}
	}
	return &Manager{store: store{root}, opt: opt}
}

// Active returns the active conversation as it is on disk, nil where there is none.
func (m *Manager) Active() (*Conversation, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.refresh(); err != nil {
		return nil, err
	}
	return m.active.Clone(), nil
}

// Begin returns the conversation the next turn belongs to, making one where none is active.
// One that has been idle for longer than the timeout ends first and is returned as ended;
// one that waits for an answer does not end by idleness.
func (m *Manager) Begin(now time.Time) (active, ended *Conversation, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.refresh(); err != nil {
		return nil, nil, err
	}
	if c := m.active; c != nil && idle(c, now, m.opt.IdleTimeout) {
		if err := m.end(now, "idle"); err != nil {
			return nil, nil, err
		}
		ended = c
	}
	if m.active == nil {
		c := &Conversation{ID: newID(now), Started: now}
		if err := m.store.create(c); err != nil {
			return nil, ended, err
		}
		m.active = c
		if err := m.writeIndex(); err != nil {
			return nil, ended, err
		}
	}
	return m.active.Clone(), ended, nil
}

// Append records a turn that ended, once by its id, in conversation id.
func (m *Manager) Append(id string, t Turn) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.active == nil || m.active.ID != id {
		c, _, err := m.store.load(id)
		if err != nil {
			return err
		}
		m.active = c
	}
	if !t.Failed && m.active.Has(t.ID) {
		return nil
	}
	if err := m.store.append(id, record{Type: "turn", Time: t.Ended, Turn: &t}); err != nil {
		return err
	}
	m.active.Turns = append(m.active.Turns, t)
	return m.writeIndex()
}

// End ends the active conversation, if there is one, and returns it.
func (m *Manager) End(now time.Time, reason string) (*Conversation, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.refresh(); err != nil {
		return nil, err
	}
	c := m.active
	if c == nil {
		return nil, nil
	}
	return c, m.end(now, reason)
}

// List returns the index, oldest first.
func (m *Manager) List() ([]Entry, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	x, warnings, err := m.store.readIndex()
	m.warn(warnings)
	return x.Conversations, err
}

// idle is the policy of the idle timeout. A clock that went back makes nothing idle.
func idle(c *Conversation, now time.Time, timeout time.Duration) bool {
	return timeout > 0 && len(c.Turns) > 0 && c.Pending() == "" && now.Sub(c.Last()) > timeout
}

func (m *Manager) end(now time.Time, reason string) error {
	c := m.active
	if err := m.store.append(c.ID, record{Type: "ended", Time: now, Reason: reason}); err != nil {
		return err
	}
	c.Ended = now
	err := m.writeIndex()
	m.active = nil
	return err
}

// refresh makes m.active what the disk says is active: another process may have gone on.
func (m *Manager) refresh() error {
	x, warnings, err := m.store.readIndex()
	m.warn(warnings)
	if err != nil {
		return err
	}
	if x.Active == "" {
		m.active = nil
		return nil
	}
	if e := x.entry(x.Active); m.active != nil && m.active.ID == x.Active && len(m.active.Turns) == e.Turns {
		return nil
	}
	c, warnings, err := m.store.load(x.Active)
	m.warn(warnings)
	if errors.Is(err, fs.ErrNotExist) {
		m.active = nil // its file was deleted by hand
		return nil
	}
	if err != nil {
		return err
	}
	if !c.Ended.IsZero() {
		c = nil
	}
	m.active = c
	return nil
}

func (m *Manager) writeIndex() error {
	x, warnings, err := m.store.readIndex()
	m.warn(warnings)
	if err != nil {
		return err
	}
	x.put(m.active)
	return m.store.writeIndex(x)
}

func (m *Manager) warn(texts []string) {
	for _, t := range texts {
		m.opt.Warn(t)
	}
}
