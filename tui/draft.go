package tui

import (
	"context"
	"strings"
	"sync"
	"time"

	"chatvault/tui/chat"
	"chatvault/tui/loop"

	tea "github.com/charmbracelet/bubbletea"
)

// draftPause is how long after a change the draft is saved: what is lost when the process is
// killed.
const draftPause = 250 * time.Millisecond

// draft keeps what stands in the composer. Saving is slow and happens beside the screen's
// loop; whoever saves takes the newest text there is, so that an older one never wins.
type draft struct {
	kept Drafts // nil: nobody keeps it

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
	if d.kept == nil || text == d.saved {
		return
	}
	if len(folds) > 0 || d.savedFolds {
		d.kept.SaveFolds(folds)
		d.savedFolds = len(folds) > 0
	}
	d.kept.Save(text)
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
	if d.kept == nil || d.revision == now {
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
	if m.draft.kept != nil && m.written() == "" && len(m.unsaved()) == 0 && m.draft.stale() {
		m.draft.set("")
		return func() tea.Msg {
			m.draft.flush()
			return nil
		}
	}
	if m.draft.kept == nil || m.draftTimed || !m.draft.set(m.written()) {
		return nil
	}
	m.draftTimed = true
	return m.tick(draftPause, func(time.Time) tea.Msg { return loop.Do(m.saveDraft) })
}

func (m *Model) saveDraft() tea.Cmd {
	m.draftTimed = false
	m.draft.set(m.written())
	return func() tea.Msg {
		m.draft.flush()
		return nil
	}
}

// DraftEditor gives a text to the user's editor, which takes the terminal. The text is in a file of
// its own before the editor begins, so that nothing of it is lost however that ends. Done is called
// after it, with whether the editor failed, and gives what the file holds then; the file goes.
type DraftEditor func(ctx context.Context, text string) (command tea.ExecCommand, done func(failed bool) (string, error), err error)

// editText gives a text to the user's editor, and then gets what it left.
func (m *Model) editText(text string, then func(edited string, err error) tea.Cmd) tea.Cmd {
	edit, ctx := m.o.EditDraft, m.ctx
	return func() tea.Msg {
		command, done, err := edit(ctx, text)
		if err != nil {
			return hintMsg{chat.Sentence(err.Error())}
		}
		return loop.Do(func() tea.Cmd {
			return m.exec(command, func(err error) tea.Msg {
				edited, readErr := done(err != nil)
				if err == nil {
					err = readErr
				}
				return loop.Do(func() tea.Cmd { return tea.Batch(m.sized(), then(edited, err)) })
			})
		})
	}
}

// editDraft opens what is written in the user's editor.
func (m *Model) editDraft() tea.Cmd {
	if m.o.EditDraft == nil {
		return nil
	}
	m.draft.set(m.written())
	before, d := m.composer.Value(), m.draft
	open := m.editText(before, func(edited string, err error) tea.Cmd { return m.editedDraft(before, edited, err) })
	return func() tea.Msg {
		d.flush()
		return open()
	}
}

// editedDraft takes what the editor left. Where it failed, what was written stays.
func (m *Model) editedDraft(before, text string, err error) tea.Cmd {
	if err != nil {
		return m.flash("The editor failed; your text is unchanged: "+err.Error(), 3*quitWindow)
	}
	if !strings.HasSuffix(before, "\n") { // which editors put at the end of a file
		text = strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r")
	}
	switch now := m.composer.Value(); {
	case text == before:
	case now != before: // a text came back meanwhile
		m.composer.SetValue(below(text, now))
	default:
		m.composer.SetValue(text)
	}
	m.markTyped()
	return nil
}
