package conversation

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"time"
)

// A pinned conversation belongs to a window that stays open: it is never the active one of the vault.
// Several go on beside each other and beside the active one.

// ErrHeld says that a pinned conversation is open somewhere else.
var ErrHeld = errors.New("it is open in another window: close it there first")

// Pin has the manager keep to a conversation from now on, before its first turn: one that begins later
// (see NewID), or one that is there. The active one becomes one that is pinned; one that ended is
// continued by another one when the next turn begins; of one that was continued so before, the
// continuation is taken up. It returns what was taken up, nil where there is none yet.
func (m *Manager) Pin(id string, now time.Time) (*Conversation, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	x, err := m.index()
	if err != nil {
		return nil, err
	}
	id = x.continuation(id)
	if err := m.opt.Hold(id); err != nil {
		return nil, err
	}
	m.pin = id
	c, err := m.read(m.pin)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case c.later:
		return nil, fmt.Errorf("conversation %s was %s, so this version cannot continue it", c.ID, writtenLater)
	case !c.Ended.IsZero():
		m.resumes = true
	case !c.Pinned:
		err = m.changeLocked(c.ID, func(*Conversation) ([]record, error) {
			return []record{{Type: "pinned", Time: now}}, nil
		})
		if err != nil {
			return nil, err
		}
		if c, err = m.read(m.pin); err != nil {
			return nil, err
		}
	}
	return c.Clone(), nil
}

// Pinned is the conversation that the manager keeps to; empty: the active one.
func (m *Manager) Pinned() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.pin
}

// continuation is the last of the pinned conversations that continue id, or id.
func (x *index) continuation(id string) string {
	for i := range x.Conversations { // oldest first
		if e := &x.Conversations[i]; e.Pinned && e.Continues == id {
			id = e.ID
		}
	}
	return id
}

// pinned is the conversation that the manager keeps to, nil where it is not there or has ended.
func (m *Manager) pinned() (*Conversation, error) {
	c, err := m.read(m.pin)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case !c.Ended.IsZero() || c.later:
		return nil, nil
	}
	return c, nil
}

// beginNew returns a new conversation, with this id unless there is one with it: where the pinned one had ended
// when it was taken up, the one that continues it.
func (m *Manager) beginNew(id string, now time.Time) (*Conversation, error) {
	if id = cmp.Or(id, m.pin); id == "" || m.store.has(id) {
		id = NewID(now)
	}
	if m.resumes {
		m.resumes = false
		source, err := m.read(m.pin)
		if err != nil {
			return nil, err
		}
		if carried := carriedOf(source); len(carried.Turns) > 0 || carried.Summary != "" {
			return m.begin(&Conversation{ID: id, Started: now, Continues: carried, Pinned: true})
		}
	}
	if m.pin != "" && id != m.pin {
		if err := m.opt.Hold(id); err != nil {
			return nil, err
		}
		m.pin = id
	}
	return &Conversation{ID: id, Started: now, Pinned: m.pin != ""}, nil
}

// EndLeft ends those of the conversations which have not ended that left says are nobody's any more, and
// returns them; that which the manager keeps to is none of them.
func (m *Manager) EndLeft(now time.Time, left func(e Entry) bool) (ended []*Conversation, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	x, err := m.index()
	if err != nil {
		return nil, err
	}
	for _, e := range x.entries(func(e indexed) bool { return e.Ended.IsZero() && !e.Later && e.ID != m.pin && left(e.Entry) }) {
		c, endErr := m.end(e.ID, now, "idle")
		if err = errors.Join(err, endErr); c != nil {
			ended = append(ended, c)
		}
	}
	return ended, err
}
