package tui

import (
	"sync"
	"time"

	tea "github.com/charmbracelet/bubbletea"
)

// draftPause is how long after a change the draft is saved: what is lost when the process is
// killed.
const draftPause = 250 * time.Millisecond

// draft keeps what stands in the composer. Saving is slow and happens beside the screen's
// loop; whoever saves takes the newest text there is, so that an older one never wins.
type draft struct {
	save      func(string)
	saveFolds func([]string) // nil: nobody keeps them

	mu       sync.Mutex
	newest   string
	folds    []string // the pastes that show folded in it
	revision int      // of the composer that folds are of; the screen's own

	saving     sync.Mutex
	saved      string
	savedFolds bool // there are some
}

// set notes the text to save, and says whether it is another.
func (d *draft) set(text string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	changed := d.newest != text
	d.newest = text
	return changed
}

// loaded notes a text that is saved already.
func (d *draft) loaded(text string) {
	d.set(text)
	d.saving.Lock()
	defer d.saving.Unlock()
	d.saved = text
}

// flush saves what was noted last, unless it is saved.
func (d *draft) flush() {
	d.saving.Lock()
	defer d.saving.Unlock()
	d.mu.Lock()
	text, folds := d.newest, d.folds
	d.mu.Unlock()
	if d.save == nil || text == d.saved {
		return
	}
	if d.saveFolds != nil && (len(folds) > 0 || d.savedFolds) {
		d.saveFolds(folds)
		d.savedFolds = len(folds) > 0
	}
	d.save(text)
	d.saved = text
}

// stale says whether a text is saved that is not there any more, as far as nobody saves now.
func (d *draft) stale() bool {
	if !d.saving.TryLock() {
		return false
	}
	defer d.saving.Unlock()
	return d.saved != ""
}

// keepFolds notes which pastes show folded.
func (m *Model) keepFolds() {
	d, now := m.draft, m.composer.Revision()
	if d.saveFolds == nil || d.revision == now {
		return
	}
	d.revision = now
	folds := m.composer.Folds()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.folds = folds
}

// draftDue says when the draft is to be saved, if it changed: at once where what was written is
// durable as a message, so that it does not come back as a draft.
func (m *Model) draftDue() tea.Cmd {
	m.keepFolds()
	if m.draft.save != nil && m.written() == "" && len(m.unsaved()) == 0 && m.draft.stale() {
		m.draft.set("")
		return func() tea.Msg {
			m.draft.flush()
			return nil
		}
	}
	if m.draft.save == nil || m.draftTimed || !m.draft.set(m.written()) {
		return nil
	}
	m.draftTimed = true
	return m.tick(draftPause, func(time.Time) tea.Msg { return draftMsg{} })
}

func (m *Model) saveDraft() tea.Cmd {
	m.draftTimed = false
	m.draft.set(m.written())
	return func() tea.Msg {
		m.draft.flush()
		return nil
	}
}
