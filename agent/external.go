package agent

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"
)

// external is what a turn knows of notes that somebody else changed on disk while it runs.
type external struct {
	mu     sync.Mutex
	box    diskAware // nil: the turn has not begun, or its tools know nothing of the disk
	untold []string  // to the model
}

// diskAware tools know which notes the agent has read, and as what; *tools.Turn is such a Toolbox.
type diskAware interface {
	// ChangedOnDisk are those of some paths that the agent has read and that somebody else changed
	// since, each told once until it is read again.
	ChangedOnDisk(ctx context.Context, paths []string) []string
	// Outdated are those of some paths that were told to have changed and not read again.
	Outdated(paths []string) []string
}

// begins takes the tools of the turn.
func (x *external) begins(box Toolbox) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.box, _ = box.(diskAware)
}

// look finds what of some paths the turn should know of, and keeps it for the model.
func (x *external) look(ctx context.Context, paths []string) []string {
	x.mu.Lock()
	box := x.box
	x.mu.Unlock()
	if box == nil {
		return nil
	}
	changed := box.ChangedOnDisk(ctx, paths)
	x.mu.Lock()
	defer x.mu.Unlock()
	x.untold = append(x.untold, changed...)
	return changed
}

// news are the notes that the model is to be told of; what it has read again meanwhile is none.
func (x *external) news() []string {
	x.mu.Lock()
	defer x.mu.Unlock()
	if len(x.untold) == 0 {
		return nil
	}
	news := x.box.Outdated(x.untold)
	x.untold = nil
	return news
}

// NotesChanged says that notes (true names) changed on disk by somebody else's hand. Where the
// running turn has read one of them, the user is told, and the agent with its next tool result.
// Whoever writes a note over that it read before it changed is refused in any case. It may be
// called at any time, from any goroutine.
func (p *Processor) NotesChanged(paths []string) {
	p.mu.Lock()
	t := p.running
	p.mu.Unlock()
	if t == nil {
		return
	}
	for _, name := range t.external.look(t.ctx, paths) {
		now := Meta{Time: time.Now()}
		p.bus.publish(NoteChanged{now, name})
		p.bus.publish(Notice{now, name + " changed on disk."})
	}
}

// tellChanged tells the model, with the newest result, of notes that changed on disk.
func (r *run) tellChanged(results []*called) {
	if r.Changed == nil {
		return
	}
	for i := len(results) - 1; i >= 0; i-- {
		if results[i] == nil {
			continue
		}
		var lines []string
		for _, name := range r.Changed() {
			lines = append(lines, fmt.Sprintf("[%q was changed on disk, not by you, since you read it: read it again before you write to it.]", name))
		}
		if len(lines) > 0 {
			results[i].result.Text += "\n\n" + strings.Join(lines, "\n")
		}
		return
	}
}
