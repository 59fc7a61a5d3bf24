package conversation

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"time"

	"chatvault/internal/artifact"
)

// Options of a Manager.
type Options struct {
	IdleTimeout time.Duration // the conversation that goes on ends after it; 0: never
	// Warn hears of files that were set aside; nil: nobody does.
	Warn func(text string)
	// Hold shows other processes that a pinned conversation is open, until this one ends; ErrHeld: it
	// is open elsewhere; nil: it is not shown.
	Hold func(id string) error
}

// Manager keeps the conversations of a vault. It is safe for concurrent use in one process. Each
// conversation is open in one process at a time; everything reads what another one wrote, and
// what changes a conversation outside a turn does so under a lock of its own.
type Manager struct {
	store store
	opt   Options
	now   func() time.Time

	mu      sync.Mutex
	last    *Conversation // the one last read or written, so that each turn need not read it again
	version version       // of its file then
	cached  index         // as it was last read or written
	indexed version       // of its file then
	foreign bool          // the index on disk is of a later version: it is not written
	warned  map[string]bool
	pin     string // the conversation it keeps to, see Pin; empty: the active one
	resumes bool   // pin had ended when it was taken up: the next turn continues it
}

// NewManager returns the manager of the conversations below root, the vault's state
// folder. It reads nothing yet.
func NewManager(root *os.Root, opt Options) *Manager {
	if opt.Warn == nil {
		opt.Warn = func(string) {}
	}
	if opt.Hold == nil {
		opt.Hold = func(string) error { return nil }
	}
	return &Manager{store: store{root}, opt: opt, now: time.Now, warned: map[string]bool{}}
}

// SweepArtifacts deletes those of conversations that are not there.
func (m *Manager) SweepArtifacts() error {
	list, err := m.List()
	if err != nil {
		return err
	}
	ids := map[string]bool{}
	for _, c := range list {
		ids[c.ID] = true
	}
	return m.Artifacts().Sweep(func(id string) bool { return ids[id] })
}

// Artifacts keeps what conversations bring beside words, as long as they are kept.
func (m *Manager) Artifacts() *artifact.Store { return artifact.NewStore(m.store.root) }

// Active returns the active conversation as it is on disk, nil where there is none.
func (m *Manager) Active() (*Conversation, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	c, err := m.active()
	return c.Clone(), err
}

// Current returns the active conversation, or the one that has ended and that the next turn continues;
// nil where there is none.
func (m *Manager) Current() (*Conversation, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	c, err := m.active()
	if c == nil && err == nil && m.resumes {
		c, err = m.read(m.pin)
	}
	return c.Clone(), err
}

// Next returns the conversation that a message sent now belongs to, and its id: nil where it is not
// on disk yet. One that has been idle for longer than the timeout is over; one that waits for an
// answer is not.
func (m *Manager) Next(now time.Time) (id string, c *Conversation, err error) {
	c, err = m.Current()
	if err != nil {
		return "", nil, err
	}
	if c != nil && !idle(c, now, m.opt.IdleTimeout) {
		return c.ID, c, nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.pin != "" && !m.store.has(m.pin) {
		return m.pin, nil, nil
	}
	return NewID(now), nil, nil
}

// Begin returns the conversation with this id for the next turn: the active one, or a new one. A
// new one is not on disk before its first turn is: a turn that records nothing leaves none. Where
// the id is that of one that has ended meanwhile, the new one gets another id. An active one with
// another id ends first and is returned as ended. An empty id is that of Next.
func (m *Manager) Begin(id string, now time.Time) (active, ended *Conversation, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	c, err := m.active()
	if err != nil {
		return nil, nil, err
	}
	away := idle(c, now, m.opt.IdleTimeout)
	if c != nil && !c.Is(id) && (id != "" || away) {
		reason := "new"
		if away {
			reason = "idle"
		}
		if ended, err = m.end(c.ID, now, reason); err != nil {
			return nil, nil, err
		}
		c = nil
	}
	if c == nil {
		c, err = m.beginNew(id, now)
	}
	return c.Clone(), ended, err
}

// Append records a turn that ended in conversation id, once by its id, making the conversation
// where it is the first. When it returns nil the turn is on disk.
func (m *Manager) Append(id string, t Turn) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	defer m.lock()()
	records := []record{{Type: "turn", Time: t.Ended, Turn: &t}}
	c, err := m.read(id)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		c = &Conversation{ID: id, Started: t.Started, Pinned: m.pin != ""}
		records = append([]record{head(c)}, records...)
	case err != nil:
		return err
	case !t.Failed && c.Has(t.ID):
		return nil
	}
	return m.write(c, records...)
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

// End ends the active conversation, if there is one, and returns it. One that continues another
// and in which nothing was said is gone then, and not returned.
func (m *Manager) End(now time.Time, reason string) (*Conversation, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	c, err := m.active()
	if c == nil || err != nil {
		return nil, err
	}
	return m.end(c.ID, now, reason)
}

// idle is the policy of the idle timeout.
func idle(c *Conversation, now time.Time, timeout time.Duration) bool {
	return timeout > 0 && c != nil && len(c.Turns)+len(c.tree.nodes) > 0 && c.PendingQuestion() == nil && passed(c.Last(), now) > timeout
}

func (m *Manager) end(id string, now time.Time, reason string) (*Conversation, error) {
	defer m.lock()()
	c, err := m.read(id)
	if err != nil {
		return nil, err
	}
	if c.Ended.IsZero() { // else another process ended it just now
		if c.untouched() && !c.later {
			return nil, m.discard(c)
		}
		err = m.write(c, record{Type: "ended", Time: now, Reason: reason})
	}
	return c.Clone(), err
}

// change reads conversation id, as it is on disk now, and appends the records that do makes of
// it, with no other process at work between the two. When it returns nil they are on disk.
func (m *Manager) change(id string, do func(c *Conversation) ([]record, error)) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.changeLocked(id, do)
}

// changeLocked is change with m.mu held.
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

// lock takes the lock of the conversations for something that must be done whether or not
// another process holds it for ever.
func (m *Manager) lock() (release func()) {
	release, _ = m.store.lock()
	return release
}

// write appends records to the file of c, which was read just now, and to c.
func (m *Manager) write(c *Conversation, records ...record) error {
	if c.later {
		return fmt.Errorf("conversation %s was %s, so it was not changed", c.ID, writtenLater)
	}
	var before version
	if m.last == c {
		before = m.version
	}
	n, err := m.store.append(c.ID, records...)
	if err != nil {
		return err
	}
	for _, r := range records {
		c.apply(r)
	}
	after, err := m.store.stat(c.ID)
	if err == nil && after.Size == before.Size+n {
		m.last, m.version = c, after
	} else {
		m.last = nil // a torn line was ended, or another process wrote too: read it again
	}
	m.wrote(c)
	return nil
}

// active is the conversation that the disk says is active: another process may have gone on,
// and a crash may have kept the index from what the files say. So the index is asked where to
// look, and the files what is true.
func (m *Manager) active() (*Conversation, error) {
	if m.pin != "" {
		return m.pinned()
	}
	x, err := m.index()
	if err != nil {
		return nil, err
	}
	for _, id := range x.open() {
		c, err := m.read(id)
		switch {
		case errors.Is(err, fs.ErrNotExist): // deleted by hand just now
		case err != nil:
			return nil, err
		case c.Ended.IsZero() && !c.later:
			return c, nil
		}
	}
	return nil, nil
}

// read returns conversation id as it is on disk; fs.ErrNotExist where there is none.
func (m *Manager) read(id string) (*Conversation, error) {
	var c loaded
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
	m.warn(c.warnings)
	m.last, m.version = c.Conversation, c.version
	return c.Conversation, nil
}

// index returns the index, true to the files as they are now. It is m's own: not to be changed.
func (m *Manager) index() (index, error) {
	changed, err := m.refresh()
	if err != nil {
		return index{}, err
	}
	if changed {
		m.saveIndex()
	}
	return m.cached, nil
}

// refresh brings the index in memory up to date, and says whether that on disk is not.
func (m *Manager) refresh() (changed bool, err error) {
	files, v, err := m.store.files()
	if err != nil {
		return false, fmt.Errorf("the conversations cannot be read: %w", err)
	}
	missing := v == version{}
	m.foreign = m.foreign && !missing
	if !missing && v != m.indexed {
		x, err := m.store.readIndex()
		m.foreign = errors.Is(err, errIndexLater)
		switch {
		case err == nil:
			m.cached, m.indexed = x, v
		case m.foreign:
			m.warn([]string{err.Error()})
			m.indexed = v
		case !errors.Is(err, fs.ErrNotExist):
			m.warn([]string{err.Error()})
			missing = true
		}
	}
	changed, warnings := m.store.reconcile(&m.cached, files, m.fetch)
	m.warn(warnings)
	return changed || missing && len(files) > 0, nil
}

// fetch is a conversation from memory, or from its file.
func (m *Manager) fetch(id string, v version) (loaded, error) {
	if m.last != nil && m.last.ID == id && m.version == v {
		return loaded{Conversation: m.last, version: v}, nil
	}
	return m.store.load(id)
}

// wrote brings the index up to date with a conversation that was written. That it is on disk is
// what counts: an index that cannot be written is made good by the next reader.
func (m *Manager) wrote(c *Conversation) {
	changed, err := m.refresh()
	if err != nil {
		m.warn([]string{err.Error()})
		return
	}
	if c.Ended.IsZero() && !c.Pinned && m.cached.Active != c.ID {
		m.cached.Active, changed = c.ID, true
	}
	if changed {
		m.saveIndex()
	}
}

// saveIndex writes the index as it is in memory.
func (m *Manager) saveIndex() {
	if m.foreign {
		return
	}
	m.indexed = version{}
	if err := m.store.writeIndex(m.cached); err != nil {
		m.warn([]string{fmt.Sprintf("the index of conversations could not be written: %v", err)})
		return
	}
	if info, err := m.store.root.Lstat(indexFile); err == nil {
		m.indexed = versionOf(info)
	}
}

func (m *Manager) warn(texts []string) {
	for _, t := range texts {
		if !m.warned[t] {
			m.warned[t] = true
			m.opt.Warn(t)
		}
	}
}
