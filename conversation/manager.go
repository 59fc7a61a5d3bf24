package conversation

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"time"

	"chatvault/conversation/artifact"
)

// Options configure a Manager.
type Options struct {
	IdleTimeout time.Duration     // after which the active conversation ends; zero means never
	Warn        func(text string) // is called for files that were set aside; may be nil
	// Hold locks a conversation for this process, until it ends, and releases the one it held before. It returns ErrHeld
	// if another process has locked it. May be nil.
	Hold func(id string) error
}

// ErrHeld is returned by Open.
var ErrHeld = errors.New("it is open in another window: close it there first")

// Manager keeps the conversations of a vault. It is safe for concurrent use. A conversation is open in one process at
// a time; changes to others are made under a lock.
type Manager struct {
	store store
	opt   Options
	now   func() time.Time

	mu      sync.Mutex
	last    *Conversation // as last read or written, so that a turn need not read it again
	cached  index         // as last read or written
	later   bool          // the index on disk is of a later version, and not written
	indexed version       // of its file then
	warned  map[string]bool
	current string // see Open
}

// NewManager returns the manager of the conversations in root, the vault's state folder. It reads nothing yet.
func NewManager(root *os.Root, opt Options) *Manager {
	if opt.Warn == nil {
		opt.Warn = func(string) {}
	}
	if opt.Hold == nil {
		opt.Hold = func(string) error { return nil }
	}
	return &Manager{store: store{root}, opt: opt, now: time.Now, warned: map[string]bool{}}
}

// SweepArtifacts deletes the artifacts of conversations that no longer exist.
func (m *Manager) SweepArtifacts() error { return m.Artifacts().Sweep(m.Has) }

// Artifacts returns the store of the files that conversations produce.
func (m *Manager) Artifacts() *artifact.Store { return artifact.NewStore(m.store.root) }

// Open makes a conversation the active one and returns it, continuing it if it has ended. It returns nil if there is
// none with this ID (see NewID): the first turn creates it. Without Open, the active conversation is the one last
// used among those that have not ended.
func (m *Manager) Open(id string, now time.Time) (*Conversation, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	c, err := m.read(id)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		c = nil
	case err != nil:
		return nil, err
	}
	if err := m.opt.Hold(id); err != nil {
		return nil, err
	}
	m.current = id
	if c == nil {
		return nil, nil
	}
	err = m.changeLocked(id, func(c *Conversation) ([]record, error) {
		if c.Ended.IsZero() {
			return nil, nil
		}
		return []record{{Type: "reopened", Schema: schema + 1, Time: now}}, nil
	})
	if err != nil {
		return nil, err
	}
	c, err = m.read(id)
	return c.Clone(), err
}

// ID returns the ID of the active conversation since Open; empty if Open was not called.
func (m *Manager) ID() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.current
}

// Has reports whether a conversation is on disk.
func (m *Manager) Has(id string) bool { return m.store.has(id) }

// Active returns the active conversation on disk, or nil if there is none.
func (m *Manager) Active() (*Conversation, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	c, err := m.active()
	return c.Clone(), err
}

// Next returns the conversation that a message sent now belongs to and its ID. The conversation is nil if it is not
// on disk yet, as after the idle timeout.
func (m *Manager) Next(now time.Time) (id string, c *Conversation, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	c, err = m.active()
	switch {
	case err != nil:
		return "", nil, err
	case c != nil && !idle(c, now, m.opt.IdleTimeout):
		return c.ID, c.Clone(), nil
	case m.current != "" && !m.store.has(m.current):
		return m.current, nil, nil
	}
	return NewID(now), nil, nil
}

// Begin returns the conversation with this ID for the next turn: the active one or a new one. An empty ID is that of
// Next. If the active one has another ID, it ends and is returned as ended. A new one is on disk once it has a turn;
// it gets another ID if a conversation has this one.
func (m *Manager) Begin(id string, now time.Time) (active, ended *Conversation, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	c, err := m.active()
	if err != nil {
		return nil, nil, err
	}
	away := idle(c, now, m.opt.IdleTimeout)
	if c != nil && c.ID != id && (id != "" || away) {
		reason := "new"
		if away {
			reason = "idle"
		}
		if ended, err = m.end(c.ID, now, reason); err != nil {
			return nil, nil, err
		}
		c = nil
	}
	if c != nil {
		return c.Clone(), ended, nil
	}
	if id = cmp.Or(id, m.current); id == "" || m.store.has(id) {
		id = NewID(now)
	}
	if m.current != "" && id != m.current {
		if err := m.opt.Hold(id); err != nil {
			return nil, ended, err
		}
		m.current = id
	}
	return &Conversation{ID: id, Started: now}, ended, nil
}

// Append durably records a turn that ended in a conversation, and creates the conversation if it is the first. A turn
// with Ends ends the conversation. A turn that is on record is not recorded again.
func (m *Manager) Append(id string, t Turn) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	defer m.lock()()
	records := []record{{Type: "turn", Time: t.Ended, Turn: &t}}
	if t.Ends && !t.Failed {
		records = append(records, record{Type: "ended", Time: t.Ended, Reason: "agent"})
	}
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
	return m.write(c, records...)
}

// Answered reports whether a message was answered, in a conversation that was active at the time since or later.
func (m *Manager) Answered(messageID string, since time.Time) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	x, err := m.index()
	if err != nil {
		return false, err
	}
	for i := len(x.Conversations) - 1; i >= 0; i-- {
		e := &x.Conversations[i]
		if !e.Ended.IsZero() && e.Last.Before(since) {
			continue
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

// End ends the active conversation and returns it, or nil if there is none.
func (m *Manager) End(now time.Time, reason string) (*Conversation, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	c, err := m.active()
	if c == nil || err != nil {
		return nil, err
	}
	return m.end(c.ID, now, reason)
}

// EndLeft ends and returns the active conversations that left selects, except the one open in this process.
func (m *Manager) EndLeft(now time.Time, reason string, left func(Entry) bool) (ended []*Conversation, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	x, err := m.index()
	if err != nil {
		return nil, err
	}
	for _, e := range x.entries(func(e indexed) bool { return e.Ended.IsZero() && e.ID != m.current && left(e.Entry) }) {
		c, endErr := m.end(e.ID, now, reason)
		if err = errors.Join(err, endErr); c != nil {
			ended = append(ended, c)
		}
	}
	return ended, err
}

// idle reports whether a conversation has been idle for longer than timeout. One that waits for an answer never is.
func idle(c *Conversation, now time.Time, timeout time.Duration) bool {
	return timeout > 0 && c != nil && len(c.Turns)+len(c.tree.nodes) > 0 && c.PendingQuestion() == nil && passed(c.Last(), now) > timeout
}

func (m *Manager) end(id string, now time.Time, reason string) (*Conversation, error) {
	defer m.lock()()
	c, err := m.read(id)
	if err != nil {
		return nil, err
	}
	if c.Ended.IsZero() { // else another process has just ended it
		err = m.write(c, record{Type: "ended", Time: now, Reason: reason})
	}
	return c.Clone(), err
}

// change reads a conversation and durably appends the records that do returns for it, under the lock.
func (m *Manager) change(id string, do func(c *Conversation) ([]record, error)) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.changeLocked(id, do)
}

// changeLocked is change for callers that hold m.mu.
func (m *Manager) changeLocked(id string, do func(c *Conversation) ([]record, error)) error {
	release, err := m.store.lock()
	if err != nil {
		return err
	}
	defer release()
	c, err := m.read(id)
	if err != nil {
		return err
	}
	records, err := do(c)
	if err != nil || len(records) == 0 {
		return err
	}
	return m.write(c, records...)
}

// lock takes the lock for a change that must be made even if another process never releases it.
func (m *Manager) lock() (release func()) {
	release, _ = m.store.lock()
	return release
}

// write appends records to c, which was just read, and to its file.
func (m *Manager) write(c *Conversation, records ...record) error {
	n, err := m.store.append(c.ID, records...)
	if err != nil {
		return err
	}
	for _, r := range records {
		c.apply(r)
	}
	m.last = nil // a torn line was terminated, or another process wrote too: read it again
	if after, err := m.store.stat(c.ID); err == nil && after.Size == c.file.Size+n {
		c.file, m.last = after, c
	}
	if _, err := m.index(); err != nil { // the next reader updates it
		m.warn(err.Error())
	}
	return nil
}

// active reads the active conversation from its file, since the index may be out of date.
func (m *Manager) active() (*Conversation, error) {
	ids := []string{m.current}
	if m.current == "" {
		x, err := m.index()
		if err != nil {
			return nil, err
		}
		ids = x.open()
	}
	for _, id := range ids {
		c, err := m.read(id)
		switch {
		case errors.Is(err, fs.ErrNotExist): // not on disk yet, or just deleted by hand
		case err != nil:
			return nil, err
		case c.Ended.IsZero():
			return c, nil
		}
	}
	return nil, nil
}

// read returns a conversation from its file, or from memory if the file is unchanged. The error is fs.ErrNotExist if there is none.
func (m *Manager) read(id string) (*Conversation, error) {
	var c *Conversation
	v, err := m.store.stat(id)
	if err == nil {
		c, err = m.fetch(id, v)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, noConversation(id)
	case err != nil:
		return nil, fmt.Errorf("conversation %s cannot be read: %w", id, err)
	}
	m.last = c
	return c, nil
}

// fetch returns a conversation from memory or from its file.
func (m *Manager) fetch(id string, v version) (*Conversation, error) {
	if m.last != nil && m.last.ID == id && m.last.file == v {
		return m.last, nil
	}
	c, warning, err := m.store.load(id)
	if warning != "" {
		m.warn(warning)
	}
	return c, err
}

// warn reports a problem, once.
func (m *Manager) warn(text string) {
	if !m.warned[text] {
		m.warned[text] = true
		m.opt.Warn(text)
	}
}
