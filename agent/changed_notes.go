package agent

import (
	"fmt"
	"slices"
	"sync"

	"chatvault/internal/base/text"
)

// external tracks notes that other programs change, move or delete on disk while a turn runs.
type external struct {
	mu         sync.Mutex
	box        Toolbox  // nil: the turn has not begun
	unreported []string // notes that the model does not know of yet
}

// NotesChanged reports that another program changed notes on disk; paths are their names as stored. If the running
// turn has read one of them, the user gets a notice and the model a line with its next tool result. Writing over a note
// that changed since it was read is refused in any case. It is safe for concurrent use.
func (w *worker) NotesChanged(paths []string) {
	w.mu.Lock()
	t := w.running
	w.mu.Unlock()
	if t == nil {
		return
	}
	x := &t.external
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.box == nil {
		return
	}
	changed, gone := x.box.ChangedOnDisk(t.ctx, paths)
	x.unreported = append(x.unreported, changed...)
	changed = slices.DeleteFunc(slices.Clone(changed), func(name string) bool { return slices.Contains(gone, name) })
	if len(changed) > 0 {
		w.Tell(text.Some(changed) + " changed on disk.")
	}
	if len(gone) > 0 {
		w.Tell("Moved or deleted by another program: " + text.Some(gone) + ".")
	}
}

// tellChanged adds to the newest result a line about each changed note that the model has not read again since.
func (a *actor) tellChanged(results []*called) {
	i := len(results) - 1
	for i >= 0 && results[i] == nil {
		i--
	}
	if i < 0 || a.of == nil {
		return
	}
	x := &a.of.external
	x.mu.Lock()
	defer x.mu.Unlock()
	if len(x.unreported) == 0 {
		return
	}
	space := "\n\n"
	for _, name := range x.box.Outdated(x.unreported) {
		results[i].Content += space + fmt.Sprintf("[%q was changed on disk, not by you, since you read it: read it again before you write to it.]", name)
		space = "\n"
	}
	x.unreported = nil
}
