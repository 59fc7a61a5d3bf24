package conversation

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"chatvault/internal/atomicfile"
)

// Delete removes conversation id, named in full, for good. It must have ended: a turn may be
// at work in one that did not.
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

// Clear removes all conversations that ended and says how many they were.
func (m *Manager) Clear() (n int, err error) {
	return m.removeBeyond(0)
}

// Retain removes the oldest conversations that ended beyond the newest limit of them, and says
// how many they were. Where limit is not positive all are kept.
func (m *Manager) Retain(limit int) (removed int, err error) {
	if limit <= 0 {
		return 0, nil
	}
	return m.removeBeyond(limit)
}

// removeBeyond removes the conversations that ended but for the last kept ones.
func (m *Manager) removeBeyond(kept int) (removed int, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	x, err := m.index()
	if err != nil {
		return 0, err
	}
	return m.remove(beyond(x, kept))
}

// beyond is the policy of retention: the conversations that ended but for the last kept ones. What
// a later version of the program wrote is not ours to judge.
func beyond(x index, kept int) []string {
	ended := x.entries(func(e indexed) bool { return !e.Ended.IsZero() && !e.Later })
	slices.SortStableFunc(ended, Entry.compareEnd)
	var ids []string
	for i := range max(len(ended)-kept, 0) {
		ids = append(ids, ended[i].ID)
	}
	return ids
}

// remove removes the files of those of the conversations that ended, and what was set aside of
// them, flushing the folder once, and lets go of their artifacts. It says how many are gone.
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
		c, readErr := m.read(id) // as it is now, not as the index has it
		switch {
		case errors.Is(readErr, fs.ErrNotExist):
			continue
		case readErr != nil:
			err = errors.Join(err, fmt.Errorf("%w; so it was kept", readErr))
			continue
		case c.later:
			err = errors.Join(err, fmt.Errorf("conversation %s was %s, so it was kept", id, writtenLater))
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
