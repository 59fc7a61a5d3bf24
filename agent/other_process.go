package agent

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"chatvault/agent/event"
	"chatvault/agent/lock"
	"chatvault/conversation"
)

// Other processes go on with the same conversations: ask, another chat, one that takes routed
// messages. Who shows the active conversation finds out here that it is another than was shown.

// seen is the active conversation as this process last left it, or found it.
type seen struct {
	mu     sync.Mutex
	asked  bool // somebody wants to know
	known  bool
	mark   conversation.Mark
	stamp  string
	missed bool // a turn began in what another process had changed
}

// ChangedByOthers says whether another process changed the active conversation since this one last left
// it or was last asked: said something in it, went back in it, ended it, began another. The first
// time, and while a turn runs, it is false. It costs next to nothing where nothing was written.
func (p *Processor) ChangedByOthers() (bool, error) {
	free := p.isFree() && !p.isClosed()
	s := &p.seen
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = true
	stamp := p.opt.Conversations.Stamp()
	if !free || s.known && !s.missed && stamp == s.stamp {
		return false, nil
	}
	c, err := p.opt.Conversations.Active()
	if err != nil {
		return false, err
	}
	changed := s.known && (s.missed || c.Mark() != s.mark)
	if changed && c != nil {
		p.recorded(p.begins())
	}
	s.known, s.missed, s.mark, s.stamp = true, false, c.Mark(), stamp
	return changed, nil
}

// found compares what a turn begins in with what was left.
func (s *seen) found(c *conversation.Conversation) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.missed = s.missed || s.known && c.Mark() != s.mark
}

// left notes the active conversation as this process leaves it, with its worker's turn.
func (p *Processor) left() {
	s := &p.seen
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.asked {
		return
	}
	if c, err := p.opt.Conversations.Active(); err == nil {
		s.known, s.mark = true, c.Mark()
	}
}

// turnLock is a turn's hold on the vault, which keeps the turns of other processes away while it works,
// and lets them go on while it waits for its user.
type turnLock struct {
	mu      sync.Mutex
	asking  int    // requests that wait for the user
	release func() // nil: it is not held
}

// hold takes the vault's lock for a turn, and tells whom it waits for.
func (p *Processor) hold(ctx context.Context, t *turn) error {
	release, err := p.lockTurn(ctx, func(who string) {
		p.bus.Publish(event.Waiting{Meta: t.meta(), For: who})
		p.bus.Publish(event.Notice{Meta: t.meta(), Text: "Waiting for " + who + " to end its turn."})
	})
	t.lock.release = release
	return err
}

// unlock ends a turn's hold, where it has one.
func (l *turnLock) unlock() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.release != nil {
		l.release()
		l.release = nil
	}
}

// unlockedWhile does what waits for the user without keeping other turns away meanwhile. Where ctx ends, or the
// lock cannot be had again, its error is why.
func (p *Processor) unlockedWhile(ctx context.Context, t *turn, wait func() (event.Answer, error)) (event.Answer, error) {
	l := &t.lock
	l.mu.Lock()
	if l.asking++; l.asking == 1 && l.release != nil {
		l.release()
		l.release = nil
	}
	l.mu.Unlock()
	a, err := wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.asking--; l.asking > 0 || l.release != nil || err != nil {
		return a, err
	}
	return a, p.hold(ctx, t)
}

// pinned says whether the processor keeps to a conversation of its own.
func (p *Processor) pinned() bool { return p.opt.Conversations.Pinned() != "" }

// lockTurn keeps other turns away from the conversation. One that is pinned is open here alone: its
// turns wait for nobody's, and nobody's wait while somebody is asked here. What a turn changes in the
// vault is kept apart change by change (vault.Commit).
func (p *Processor) lockTurn(ctx context.Context, waiting func(who string)) (release func(), err error) {
	if p.pinned() {
		return func() {}, context.Cause(ctx)
	}
	return lock.Turn(ctx, p.opt.Root, p.opt.Name, waiting)
}

// external is what a turn knows of notes that somebody else changed on disk while it runs.
type external struct {
	mu     sync.Mutex
	box    Toolbox  // nil: the turn has not begun
	untold []string // to the model
	gone   []string // of those, what is not there any more
}

// begins takes the tools of the turn.
func (x *external) begins(box Toolbox) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.box = box
}

// look finds what of some paths the turn should know of, and keeps it for the model: the notes that
// are there, and those that are gone.
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
	x.untold, x.gone = append(x.untold, all...), append(x.gone, gone...)
	return changed, gone
}

// news is what the model is to be told, a line each; what it has read again meanwhile is none.
func (x *external) news() []string {
	x.mu.Lock()
	defer x.mu.Unlock()
	if len(x.untold) == 0 {
		return nil
	}
	var news []string
	for _, name := range x.box.Outdated(x.untold) {
		if slices.Contains(x.gone, name) {
			news = append(news, fmt.Sprintf("[%q was moved or deleted on disk, not by you, since you read it.]", name))
			continue
		}
		news = append(news, fmt.Sprintf("[%q was changed on disk, not by you, since you read it: read it again before you write to it.]", name))
	}
	x.untold, x.gone = nil, nil
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
	changed, gone := t.external.look(t.ctx, paths)
	now := event.Meta{Time: time.Now()}
	for _, name := range slices.Concat(changed, gone) {
		p.bus.Publish(event.NoteChanged{Meta: now, Path: name})
	}
	if len(changed) > 0 {
		p.bus.Publish(event.Notice{Meta: now, Text: noteNames(changed) + " changed on disk."})
	}
	if len(gone) > 0 {
		were := " was"
		if len(gone) > 1 {
			were = " were"
		}
		p.bus.Publish(event.Notice{Meta: now, Text: noteNames(gone) + were + " moved or deleted on disk."})
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

// tellChanged tells the model, with the newest result, of notes that changed on disk.
func (r *run) tellChanged(results []*called) {
	if r.of == nil {
		return
	}
	for i := len(results) - 1; i >= 0; i-- {
		if results[i] == nil {
			continue
		}
		if lines := r.of.external.news(); len(lines) > 0 {
			results[i].result.Text += "\n\n" + strings.Join(lines, "\n")
		}
		return
	}
}
