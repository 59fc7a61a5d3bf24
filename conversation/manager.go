package conversation

import (
	"errors"
	"fmt"
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

	mu   sync.Mutex
	last *Conversation // the one last read or written, so that each turn need not read it again
	size int64         // of its file then: a file of another size has changed
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
	c, err := m.active()
	return c.Clone(), err
}

// Begin returns the conversation the next turn belongs to, a new one where none is active. A
// new one is not on disk before its first turn is: a turn that records nothing leaves none.
// One that has been idle for longer than the timeout ends first and is returned as ended;
// one that waits for an answer does not end by idleness.
func (m *Manager) Begin(now time.Time) (active, ended *Conversation, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	c, err := m.active()
	if err != nil {
		return nil, nil, err
	}
	if c != nil && idle(c, now, m.opt.IdleTimeout) {
		if err := m.end(c, now, "idle"); err != nil {
			return nil, nil, err
		}
		c, ended = nil, c.Clone()
	}
	if c == nil {
		c = &Conversation{ID: newID(now), Started: now}
	}
	return c.Clone(), ended, nil
}

// Append records a turn that ended in conversation id, once by its id, making the conversation
// where it is the first. When it returns nil the turn is on disk.
func (m *Manager) Append(id string, t Turn) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	records := []record{{Type: "turn", Time: t.Ended, Turn: &t}}
	c, err := m.read(id)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		c = &Conversation{ID: id, Started: t.Started}
		records = append([]record{head(c)}, records...)
	case err != nil:
		return err
	case !t.Failed && c.Has(t.ID):
		return nil
	}
	if err := m.store.append(id, records...); err != nil {
		return err
	}
	c.Turns = append(c.Turns, t)
	m.keep(c)
	m.writeIndex(c)
	return nil
}

// Answered says whether the message with this id was answered, in a conversation that was
// active at the time since or later.
func (m *Manager) Answered(messageID string, since time.Time) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	x, err := m.index()
	if err != nil {
		return false, err
	}
	for i := len(x.Conversations) - 1; i >= 0; i-- {
		e := x.Conversations[i]
		if !e.Ended.IsZero() && e.Last.Before(since) {
			continue // of one that did not end the index may be behind the file
		}
		c, err := m.read(e.ID)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return false, err
		}
		if err == nil && c.Has(messageID) {
			return true, nil
		}
	}
	return false, nil
}

// End ends the active conversation, if there is one, and returns it.
func (m *Manager) End(now time.Time, reason string) (*Conversation, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	c, err := m.active()
	if c == nil || err != nil {
		return nil, err
	}
	if err := m.end(c, now, reason); err != nil {
		return nil, err
	}
	return c.Clone(), nil
}

// List returns the index, oldest first.
func (m *Manager) List() ([]Entry, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	x, err := m.index()
	return x.Conversations, err
}

// idle is the policy of the idle timeout. A clock that went back makes nothing idle.
func idle(c *Conversation, now time.Time, timeout time.Duration) bool {
	return timeout > 0 && len(c.Turns) > 0 && c.Pending() == "" && now.Sub(c.Last()) > timeout
}

func (m *Manager) end(c *Conversation, now time.Time, reason string) error {
	if err := m.store.append(c.ID, record{Type: "ended", Time: now, Reason: reason}); err != nil {
		return err
	}
	c.Ended = now
	m.keep(c)
	m.writeIndex(c)
	return nil
}

// active is the conversation that the disk says is active: another process may have gone on,
// and a crash may have kept the index from what the files say. So the index is asked where to
// look, and the files what is true.
func (m *Manager) active() (*Conversation, error) {
	x, err := m.index()
	if err != nil {
		return nil, err
	}
	for _, id := range x.open() {
		c, err := m.read(id)
		switch {
		case errors.Is(err, fs.ErrNotExist): // deleted by hand just now
		case err != nil:
			return nil, fmt.Errorf("conversation %s cannot be read: %w", id, err)
		case c.Ended.IsZero():
			return c, nil
		}
	}
	return nil, nil
}

// read returns conversation id as it is on disk.
func (m *Manager) read(id string) (*Conversation, error) {
	size, err := m.store.size(id)
	if err != nil {
		return nil, err
	}
	if m.last != nil && m.last.ID == id && m.size == size {
		return m.last, nil
	}
	c, err := m.store.load(id)
	if err != nil {
		return nil, err
	}
	m.warn(c.warnings)
	m.last, m.size = c.Conversation, c.size
	return c.Conversation, nil
}

// keep remembers c as it was just written.
func (m *Manager) keep(c *Conversation) {
	size, err := m.store.size(c.ID)
	if err != nil {
		m.last = nil // read it again
		return
	}
	m.last, m.size = c, size
}

func (m *Manager) index() (index, error) {
	x, warnings, err := m.store.readIndex()
	m.warn(warnings)
	if err != nil {
		return x, fmt.Errorf("the conversations cannot be read: %w", err)
	}
	return x, nil
}

// writeIndex brings the index up to date with c. That c is on disk is what counts: an index
// that cannot be written is made good by the next reader.
func (m *Manager) writeIndex(c *Conversation) {
	x, err := m.index()
	if err == nil {
		if x.Active != "" && x.Active != c.ID {
			if was, err := m.store.load(x.Active); err == nil {
				x.set(was.Conversation) // a crash may have kept its end from the index
			}
		}
		x.put(c)
		err = m.store.writeIndex(x)
	}
	if err != nil {
		m.opt.Warn(fmt.Sprintf("the index of conversations could not be written: %v", err))
	}
}

func (m *Manager) warn(texts []string) {
	for _, t := range texts {
		m.opt.Warn(t)
	}
}
