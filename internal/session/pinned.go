package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"chatvault/agent/inbox"
	"chatvault/agent/lock"
	"chatvault/conversation"
	"chatvault/internal/config"
	"chatvault/internal/session/home"
	"chatvault/internal/statefile"
	"chatvault/internal/text"
)

// windowsFolder holds a lock file for each conversation that a process has open. The operating system releases the
// locks of dead processes.
const windowsFolder = "windows"

// activeLock is the lock of the process that uses the vault's active conversation, which may change with each turn.
const activeLock = "active"

// Place selects the conversation of a session.
type Place int

// The places.
const (
	Apart  Place = iota // the active one, or a new one if that is open elsewhere
	InLast              // the last used one that is not open elsewhere, else the active one; fails if that is open elsewhere
	Window              // like InLast, but creates a new one instead of failing
)

// windowLocks are the conversation locks of this session.
type windowLocks struct {
	state *os.Root

	mu   sync.Mutex
	held map[string]*flock.Flock // by conversation ID
}

func windowLock(state *os.Root, id string) (*flock.Flock, error) {
	if err := statefile.MakeFolder(state, windowsFolder); err != nil {
		return nil, err
	}
	return statefile.NewLock(state, windowsFolder+"/"+id+".lock")
}

// hold locks a conversation for this session.
func (w *windowLocks) hold(id string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.held[id] != nil {
		return nil
	}
	for range 10 {
		l, err := windowLock(w.state, id)
		if err != nil {
			return err
		}
		ok, err := l.TryLock()
		switch {
		case err != nil:
			return fmt.Errorf("cannot lock %s: %w", l.Path(), err)
		case !ok:
			return conversation.ErrHeld
		case lock.InPlace(l):
			if w.held == nil {
				w.held = map[string]*flock.Flock{}
			}
			w.held[id] = l
			return nil
		}
		_ = l.Unlock() // another process considered it abandoned and removed it
	}
	return conversation.ErrHeld
}

// free reports whether no process has a conversation open. It removes the lock file of a closed window.
func (w *windowLocks) free(id string) bool {
	l, err := windowLock(w.state, id)
	if err != nil {
		return false
	}
	if ok, err := l.TryLock(); !ok || err != nil {
		return false
	}
	defer func() { _ = l.Unlock() }()
	if !lock.InPlace(l) {
		return false // another process removed it, and a window may have created it again
	}
	_ = os.Remove(l.Path())
	return true
}

// taken reports whether any window, including this one, holds a lock. It keeps the lock file of a closed window,
// which the next one needs to find the conversation.
func (w *windowLocks) taken(id string) bool {
	name := windowsFolder + "/" + id + ".lock"
	if _, err := statefile.Stat(w.state, name); err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	l := flock.New(filepath.Join(w.state.Name(), filepath.FromSlash(name)), flock.SetFlag(os.O_RDWR))
	ok, err := l.TryLock()
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist) // it may have been removed just now
	}
	if ok {
		_ = l.Unlock()
	}
	return !ok
}

// elsewhere reports whether another window holds a lock.
func (w *windowLocks) elsewhere(id string) bool {
	w.mu.Lock()
	own := w.held[id] != nil
	w.mu.Unlock()
	return !own && w.taken(id)
}

// has reports whether another window is in a conversation.
func (w *windowLocks) has(e conversation.Entry) bool {
	id := e.ID
	if !e.Pinned {
		id = activeLock
	}
	return e.Ended.IsZero() && w.elsewhere(id)
}

// Left returns a function that reports whether a closed window left a conversation, by the locks in a state folder.
func Left(state *os.Root) func(e conversation.Entry) bool {
	w := &windowLocks{state: state}
	return func(e conversation.Entry) bool { return e.Pinned && w.free(e.ID) }
}

func (w *windowLocks) drop(id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if l := w.held[id]; l != nil {
		_ = l.Unlock()
		delete(w.held, id)
	}
}

// left returns the IDs of conversations that windows opened; some may still be open.
func (w *windowLocks) left() map[string]bool {
	files, _ := statefile.List(w.state, windowsFolder) // none are known if it cannot be read
	ids := map[string]bool{}
	for _, f := range files {
		if id, ok := strings.CutSuffix(f.Name(), ".lock"); ok && id != activeLock {
			ids[id] = true
		}
	}
	return ids
}

func (w *windowLocks) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, l := range w.held {
		_ = l.Unlock()
	}
	w.held = nil
}

// ErrHeld is returned for a conversation that is open in another window.
var ErrHeld = conversation.ErrHeld

// NewConversationID returns an ID for Options.Pinned, of a conversation that starts with the session.
func NewConversationID() string { return conversation.NewID(time.Now()) }

// errOpenElsewhere is returned for the active conversation if another process has it open.
var errOpenElsewhere = errors.New("the last conversation is open in another chatvault: type your message there, or close it first; chatvault ask without -c begins a new one")

// chooseConversation selects and locks the session's conversation.
func (a *Session) chooseConversation(o Options) error {
	if o.Pinned != "" {
		return a.pin(o.Pinned)
	}
	err := a.windows.hold(activeLock)
	taken := errors.Is(err, ErrHeld)
	if err != nil && !taken {
		return err
	}
	if o.Place != Apart {
		if found, err := a.pinAbandoned(!taken, o.Place == Window); found || err != nil {
			a.windows.drop(activeLock)
			return err
		}
	}
	if !taken {
		return nil
	}
	switch c, err := a.manager.Active(); {
	case err != nil:
		return err
	case o.Place == InLast && c != nil:
		return errOpenElsewhere
	case o.Place == Window:
		a.warnings.add("Another window is open on this vault, so a new conversation begins here. /conversations shows what is said there.")
	}
	_, err = a.manager.Pin(NewConversationID(), time.Now())
	return err
}

// pinAbandoned pins the last used conversation of closed windows, unless the active one, if active, was used more
// recently. With waiting, unfinished messages count as use.
func (a *Session) pinAbandoned(active, waiting bool) (found bool, err error) {
	left := a.windows.left()
	if len(left) == 0 && !waiting {
		return false, nil
	}
	list, err := a.manager.List()
	if err != nil {
		return false, err
	}
	if waiting {
		box := inbox.Open(a.state)
		list = withMessages(list, slices.DeleteFunc(box.Read(), box.Others)) // other processes' running messages are theirs
	}
	slices.SortStableFunc(list, func(a, b conversation.Entry) int { return b.Last.Compare(a.Last) })
	for id := range left {
		if !slices.ContainsFunc(list, func(e conversation.Entry) bool { return e.ID == id }) {
			a.windows.free(id) // nothing was said in it
		}
	}
	for _, e := range list {
		switch {
		case !e.Ended.IsZero() || e.Turns+e.Branches == 0 && !waiting || a.idle(e):
			continue
		case !e.Pinned && active:
			return false, nil
		case !left[e.ID] && e.Turns+e.Branches > 0:
			continue
		}
		if _, err := a.manager.Pin(e.ID, time.Now()); !errors.Is(err, ErrHeld) {
			return err == nil, err
		}
	}
	return false, nil
}

// idle reports whether a conversation has been idle for so long that it ends.
func (a *Session) idle(e conversation.Entry) bool {
	timeout := time.Duration(a.config.IdleMinutes.V) * time.Minute
	return timeout > 0 && time.Since(e.Last.Round(0)) > timeout
}

// pin pins a conversation: the one an editor names, or that of an unfinished message.
func (a *Session) pin(id string) error {
	c, err := a.manager.Get(id)
	if err == nil && c.Ended.IsZero() && !c.Pinned { // the active one
		err = a.windows.hold(activeLock)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	_, err = a.manager.Pin(id, time.Now())
	if a.manager.Pinned() != "" {
		a.windows.drop(activeLock)
	}
	return err
}

// Conversation returns the ID of the session's pinned conversation, or "" for the vault's active one.
func (a *Session) Conversation() string { return a.manager.Pinned() }

// Said returns the history of the pinned conversation, or nil if it has no recorded turn.
func (a *Session) Said(ctx context.Context) ([]HistoryItem, error) {
	id := a.manager.Pinned()
	if _, err := a.manager.Get(id); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return a.Conversations.Read(ctx, id)
}

// askedFirst returns the approval mode of a session that asks about every change unless the user's own file, the
// environment or a flag sets a mode. A vault's settings cannot weaken it.
func askedFirst(set config.Value[config.Approval]) config.Approval {
	if set.Origin.Kind == config.Default || set.Origin.Kind == config.VaultFile {
		return config.ApprovalWrites
	}
	return set.V
}

// Listed returns the conversations of a vault's folder, last used first, without empty ones; an unfinished message
// counts as content. It needs no open session.
func Listed(cfg *config.Config, dir string) ([]Past, error) {
	history, err := home.OpenHistory(cfg, dir, false)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = history.Close() }()
	entries, err := conversation.NewManager(history, conversation.Options{}).List()
	if err != nil {
		return nil, err
	}
	if state, err := home.Open(dir); err == nil {
		entries = withMessages(entries, inbox.Open(state).Read())
		_ = state.Close()
	}
	slices.SortStableFunc(entries, func(a, b conversation.Entry) int {
		return cmp.Or(b.Last.Compare(a.Last), strings.Compare(b.ID, a.ID))
	})
	list := make([]Past, len(entries))
	for i, e := range entries {
		list[i] = Past{Entry: e}
	}
	return list, nil
}

// withMessages returns the conversations that are not empty, counting unfinished messages.
func withMessages(list []conversation.Entry, unfinished []inbox.Entry) []conversation.Entry {
	list = slices.DeleteFunc(list, func(e conversation.Entry) bool { return e.Turns+e.Branches == 0 })
	active := slices.ContainsFunc(list, func(e conversation.Entry) bool { return !e.Pinned && e.Ended.IsZero() })
	for _, e := range unfinished {
		i := slices.IndexFunc(list, func(c conversation.Entry) bool { return c.ID == e.Conversation })
		switch {
		case e.Conversation == "" || e.Reported:
		case i >= 0 && e.Time.After(list[i].Last):
			list[i].Last = e.Time
		case i < 0 && e.After == "":
			list = append(list, conversation.Entry{ID: e.Conversation, First: text.FirstLine(e.Text), Last: e.Time, Pinned: active})
		}
	}
	return list
}
