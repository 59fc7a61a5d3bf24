package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"chatvault/agent/lock"
	"chatvault/conversation"
	"chatvault/internal/config"
	"chatvault/internal/session/home"
	"chatvault/internal/statefile"
)

// windowsFolder holds a lock for each conversation that a window has open for itself. The operating
// system releases it however the process ends.
const windowsFolder = "windows"

// windowLocks are those of this session.
type windowLocks struct {
	state *os.Root

	mu   sync.Mutex
	held map[string]*flock.Flock // by the conversation's id
}

func windowLock(state *os.Root, id string) (*flock.Flock, error) {
	if err := statefile.MakeFolder(state, windowsFolder); err != nil {
		return nil, err
	}
	return statefile.NewLock(state, windowsFolder+"/"+id+".lock")
}

// hold keeps a conversation for this session.
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
		_ = l.Unlock() // somebody took it for a closed window's, and removed it
	}
	return conversation.ErrHeld
}

// free says whether nobody has a conversation open; what a window that is gone left is removed.
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
		return false // another one removed it, and a window may have it anew
	}
	_ = os.Remove(l.Path())
	return true
}

func (w *windowLocks) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, l := range w.held {
		_ = l.Unlock()
	}
	w.held = nil
}

// ErrHeld says that a conversation is open in another window.
var ErrHeld = conversation.ErrHeld

// NewConversationID is an id for Options.Pinned: that of a conversation that begins with the session.
func NewConversationID() string { return conversation.NewID(time.Now()) }

// pinWait bounds how long a turn is waited for that may be at work in the conversation.
const pinWait = 2 * time.Second

// pin takes up the conversation that the session keeps to.
func (a *Session) pin(id string) error {
	if c, err := a.manager.Get(id); err == nil && c.Ended.IsZero() && !c.Pinned {
		who := ""
		ctx, cancel := context.WithTimeout(context.Background(), pinWait)
		defer cancel()
		release, err := lock.Turn(ctx, a.state, "acp", func(w string) { who = w })
		if errors.Is(err, context.DeadlineExceeded) {
			return fmt.Errorf("a turn is running in it in %s: wait for its end", who)
		}
		if err != nil {
			return err
		}
		defer release()
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	_, err := a.manager.Pin(time.Now())
	return err
}

// endLeft ends pinned conversations that nobody has had open for long.
func (a *Session) endLeft() {
	if _, err := a.manager.EndLeft(time.Now(), a.windows.free); err != nil {
		a.logger().Warn("conversations of closed windows not ended", "error", err)
	}
}

// Conversation is the id of the conversation that the session keeps to; empty: the vault's active one.
func (a *Session) Conversation() string { return a.manager.Pinned() }

// askedFirst is the approval of a session in which each change is asked about unless the user set
// which are: by their file, the environment or a flag. What a vault says cannot weaken that.
func askedFirst(set config.Value[config.Approval]) config.Approval {
	if set.Origin.Kind == config.Default || set.Origin.Kind == config.VaultFile {
		return config.ApprovalWrites
	}
	return set.V
}

// Listed are the conversations of a vault's folder, the one last spoken in first, without those in
// which nothing was said. No session need be open.
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
	entries = slices.DeleteFunc(entries, func(e conversation.Entry) bool { return e.Turns+e.Branches == 0 })
	slices.SortStableFunc(entries, func(a, b conversation.Entry) int {
		return cmp.Or(b.Last.Compare(a.Last), strings.Compare(b.ID, a.ID))
	})
	list := make([]Past, len(entries))
	for i, e := range entries {
		list[i] = pastOf(e)
	}
	return list, nil
}
