package agent

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"chatvault/internal/base/text"
)

// external tracks notes that other programs change, move or delete on disk while a turn runs.
type external struct {
	mu         sync.Mutex
	box        Toolbox  // nil: the turn has not begun
	unreported []string // notes that the model does not know of yet
}

// begins sets the tools of the turn.
func (x *external) begins(box Toolbox) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.box = box
}

// look returns those of the paths that the turn has read and that changed since or are gone, and keeps them for news.
func (x *external) look(ctx context.Context, paths []string) (changed, gone []string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.box == nil {
		return nil, nil
	}
	all, gone := x.box.ChangedOnDisk(ctx, paths)
	x.unreported = append(x.unreported, all...)
	return slices.DeleteFunc(slices.Clone(all), func(name string) bool { return slices.Contains(gone, name) }), gone
}

// news returns a line for the model about each changed note that it has not read again since.
func (x *external) news() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	if len(x.unreported) == 0 {
		return ""
	}
	var news strings.Builder
	for _, name := range x.box.Outdated(x.unreported) {
		fmt.Fprintf(&news, "\n[%q was changed on disk, not by you, since you read it: read it again before you write to it.]", name)
	}
	x.unreported = nil
	return news.String()
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
	changed, gone := t.external.look(t.ctx, paths)
	if len(changed) > 0 {
		w.Tell(text.Some(changed) + " changed on disk.")
	}
	if len(gone) > 0 {
		w.Tell("Moved or deleted by another program: " + text.Some(gone) + ".")
	}
}

// tellChanged adds notes that changed on disk to the newest result.
func (a *actor) tellChanged(results []*called) {
	for i := len(results) - 1; i >= 0 && a.of != nil; i-- {
		if results[i] == nil {
			continue
		}
		if news := a.of.external.news(); news != "" {
			results[i].result.Text += "\n" + news
		}
		return
	}
}
