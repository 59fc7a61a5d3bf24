package conversation

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"chatvault/internal/base/atomicfile"
	"chatvault/internal/base/text"
)

// List returns the index, oldest first.
func (m *Manager) List() ([]Entry, error) {
	return m.listed(func(indexed) bool { return true })
}

// listed returns the entries that keep selects, oldest first.
func (m *Manager) listed(keep func(e indexed) bool) ([]Entry, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	x, err := m.index()
	return x.entries(keep), err
}

// Recent returns the n conversations that ended last, newest first. If n is not positive, it returns all ended ones.
func (m *Manager) Recent(n int) ([]Entry, error) {
	return m.newest(n, func(e indexed) bool { return !e.Ended.IsZero() })
}

// Untitled is Recent for conversations without a title that can be given one.
func (m *Manager) Untitled(n int) ([]Entry, error) {
	return m.newest(n, func(e indexed) bool {
		return !e.Ended.IsZero() && e.Title == "" && e.Turns+e.Branches > 0
	})
}

func (m *Manager) newest(n int, keep func(e indexed) bool) ([]Entry, error) {
	list, err := m.listed(keep)
	slices.SortStableFunc(list, func(a, b Entry) int { return b.compareEnd(a) })
	if n > 0 && n < len(list) {
		list = list[:n]
	}
	return list, err
}

// compareEnd orders conversations that ended.
func (e Entry) compareEnd(other Entry) int {
	return cmp.Or(e.Ended.Compare(other.Ended), e.Started.Compare(other.Started), strings.Compare(e.ID, other.ID))
}

// Get returns a conversation by its ID or a unique prefix of it. The error is fs.ErrNotExist if there is none.
func (m *Manager) Get(id string) (*Conversation, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	x, err := m.index()
	if err != nil {
		return nil, err
	}
	id, err = whole(id, x)
	if err != nil {
		return nil, err
	}
	c, err := m.read(id)
	return c.Clone(), err
}

// whole resolves a prefix of an ID.
func whole(id string, x index) (string, error) {
	var matches []string
	for _, e := range x.Conversations {
		if e.ID == id {
			return id, nil
		}
		if id != "" && strings.HasPrefix(e.ID, id) {
			matches = append(matches, e.ID)
		}
	}
	switch len(matches) {
	case 0:
		return "", noConversation(id)
	case 1:
		return matches[0], nil
	}
	return "", fmt.Errorf("%d conversations begin with %q; give more of the id: %s", len(matches), id, text.Some(matches))
}

// noConversation is an fs.ErrNotExist with the ID.
type noConversation string

func (id noConversation) Error() string {
	return fmt.Sprintf("there is no conversation %q", string(id))
}

func (noConversation) Is(target error) bool { return target == fs.ErrNotExist }

const (
	maxTitle   = 120  // characters
	maxSummary = 4000 // characters
)

// SetTitle sets the title and the summary of a conversation. Empty values leave them unchanged.
func (m *Manager) SetTitle(id, title, summary string) error {
	title = text.Excerpt(title, maxTitle)
	summary = strings.TrimSpace(strings.ToValidUTF8(summary, ""))
	summary = text.Clip(summary, maxSummary)
	if title == "" && summary == "" {
		return errors.New("conversation: a title without a word")
	}
	return m.change(id, func(c *Conversation) ([]record, error) {
		if (title == "" || title == c.Title) && (summary == "" || summary == c.Summary) {
			return nil, nil
		}
		return []record{{Type: "title", Time: m.now(), Title: title, Summary: summary}}, nil
	})
}

// Delete removes an ended conversation, given its full ID.
func (m *Manager) Delete(id string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, err := m.store.stat(id); errors.Is(err, fs.ErrNotExist) {
		return noConversation(id)
	} else if err != nil {
		return err
	}
	n, err := m.remove([]string{id})
	if n == 0 && err == nil {
		return fmt.Errorf("conversation %s has not ended: end it, or close its window, before you delete it", id)
	}
	return err
}

// Clear removes all ended conversations and returns their number.
func (m *Manager) Clear() (n int, err error) {
	return m.removeBeyond(0)
}

// Retain removes the oldest ended conversations beyond limit and returns their number. It keeps all if limit is not
// positive.
func (m *Manager) Retain(limit int) (removed int, err error) {
	if limit <= 0 {
		return 0, nil
	}
	return m.removeBeyond(limit)
}

// removeBeyond removes all ended conversations except the last kept ones.
func (m *Manager) removeBeyond(kept int) (removed int, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	x, err := m.index()
	if err != nil {
		return 0, err
	}
	ended := x.entries(func(e indexed) bool { return !e.Ended.IsZero() })
	slices.SortStableFunc(ended, Entry.compareEnd)
	return m.remove(text.Of(ended[:max(len(ended)-kept, 0)], func(e Entry) string { return e.ID }))
}

// remove deletes the ended ones of some conversations, with their set-aside lines and artifacts, and returns their
// number.
func (m *Manager) remove(ids []string) (n int, err error) {
	if len(ids) == 0 {
		return 0, nil
	}
	release, err := m.store.lock()
	if err != nil {
		return 0, err
	}
	defer release()
	var gone []string
	for _, id := range ids {
		c, readErr := m.read(id) // the index may be out of date
		switch {
		case errors.Is(readErr, fs.ErrNotExist):
			continue
		case readErr != nil:
			err = errors.Join(err, fmt.Errorf("%w; so it was kept", readErr))
			continue
		case c.Ended.IsZero():
			continue
		}
		if removeErr := m.store.root.Remove(file(id)); removeErr != nil && !errors.Is(removeErr, fs.ErrNotExist) {
			err = errors.Join(err, removeErr)
			continue
		}
		gone = append(gone, id)
		m.last = nil
		if asideErr := m.store.root.Remove(aside(id)); asideErr != nil && !errors.Is(asideErr, fs.ErrNotExist) {
			err = errors.Join(err, asideErr)
		}
	}
	if len(gone) > 0 {
		syncErr := atomicfile.SyncDir(m.store.root, folder)
		_, indexErr := m.index()
		err = errors.Join(err, syncErr, indexErr, m.Artifacts().Forget(gone...))
	}
	return len(gone), err
}
