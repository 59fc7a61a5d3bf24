package agent

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"chatvault/agent/event"
)

// external tracks notes that other programs change on disk while a turn runs.
type external struct {
	mu         sync.Mutex
	box        Toolbox  // nil: the turn has not begun
	unreported []string // changed notes that the model does not know of yet
	gone       []string // those of them that were deleted or moved
}

// begins sets the tools of the turn.
func (x *external) begins(box Toolbox) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.box = box
}

// look returns those of the paths that the turn has read, changed ones and deleted ones, and keeps them for
// news.
func (x *external) look(ctx context.Context, paths []string) (changed, gone []string) {
	x.mu.Lock()
	box := x.box
	x.mu.Unlock()
	if box == nil {
		return nil, nil
	}
	all, gone := box.ChangedOnDisk(ctx, paths)
	changed = slices.DeleteFunc(slices.Clone(all), func(name string) bool { return slices.Contains(gone, name) })
	x.mu.Lock()
	defer x.mu.Unlock()
	x.unreported, x.gone = append(x.unreported, all...), append(x.gone, gone...)
	return changed, gone
}

// news returns a line for the model about each changed note that it has not read again since.
func (x *external) news() []string {
	x.mu.Lock()
	defer x.mu.Unlock()
	if len(x.unreported) == 0 {
		return nil
	}
	var news []string
	for _, name := range x.box.Outdated(x.unreported) {
		if slices.Contains(x.gone, name) {
			news = append(news, fmt.Sprintf("[%q was moved or deleted on disk, not by you, since you read it.]", name))
			continue
		}
		news = append(news, fmt.Sprintf("[%q was changed on disk, not by you, since you read it: read it again before you write to it.]", name))
	}
	x.unreported, x.gone = nil, nil
	return news
}

// NotesChanged reports that another program changed notes on disk; paths are their names as stored. If the running
// turn has read one of them, the user gets an event and the model a line with its next tool result. Writing over a
// note that changed since it was read is refused in any case. It is safe for concurrent use.
func (w *worker) NotesChanged(paths []string) {
	w.mu.Lock()
	t := w.running
	w.mu.Unlock()
	if t == nil {
		return
	}
	changed, gone := t.external.look(t.ctx, paths)
	now := event.Meta{Time: time.Now()}
	if len(changed) > 0 {
		w.bus.Publish(event.Notice{Meta: now, Text: noteNames(changed) + " changed on disk."})
	}
	if len(gone) > 0 {
		were := " was"
		if len(gone) > 1 {
			were = " were"
		}
		w.bus.Publish(event.Notice{Meta: now, Text: noteNames(gone) + were + " moved or deleted on disk."})
	}
}

// maxListed is how many notes are named that change in one go, as a synchroniser changes them.
const maxListed = 3

// noteNames names notes in a sentence.
func noteNames(names []string) string {
	switch n := len(names); {
	case n == 1:
		return names[0]
	case n > maxListed:
		return fmt.Sprintf("%s and %d more notes", strings.Join(names[:maxListed-1], ", "), n-maxListed+1)
	default:
		return strings.Join(names[:n-1], ", ") + " and " + names[n-1]
	}
}

// tellChanged adds notes that changed on disk to the newest result.
func (a *actor) tellChanged(results []*called) {
	if a.of == nil {
		return
	}
	for i := len(results) - 1; i >= 0; i-- {
		if results[i] == nil {
			continue
		}
		if lines := a.of.external.news(); len(lines) > 0 {
			results[i].result.Text += "\n\n" + strings.Join(lines, "\n")
		}
		return
	}
}
