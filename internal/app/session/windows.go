package session

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"chatvault/agent/inbox"
	"chatvault/agent/lock"
	"chatvault/conversation"
	"chatvault/internal/app/config"
	"chatvault/internal/app/session/home"
	"chatvault/internal/base/statefile"
	"chatvault/internal/base/text"
)

// windowsFolder holds a lock file for each conversation that a process has open. The operating system releases the
// locks of dead processes.
const windowsFolder = "windows"

// windowLocks is the lock of the conversation that this session has open.
type windowLocks struct {
	state *os.Root

	mu   sync.Mutex
	id   string
	held *flock.Flock
}

func windowFile(id string) string { return windowsFolder + "/" + id + ".lock" }

// hold locks a conversation for this session, in place of the one it held.
func (w *windowLocks) hold(id string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.id == id {
		return nil
	}
	if err := statefile.MakeFolder(w.state, windowsFolder); err != nil {
		return err
	}
	for range 3 {
		l, err := statefile.NewLock(w.state, windowFile(id))
		if err != nil {
			return err
		}
		ok, err := l.TryLock()
		switch {
		case err != nil:
			return fmt.Errorf("cannot lock %s: %w", l.Path(), err)
		case ok && lock.InPlace(l):
			w.release()
			w.id, w.held = id, l
			return nil
		}
		_ = l.Unlock()                   // another process has just removed the file
		time.Sleep(5 * time.Millisecond) // or is only looking whether it is free
	}
	return conversation.ErrHeld
}

// release requires w.mu.
func (w *windowLocks) release() {
	if w.held != nil {
		_ = os.Remove(w.held.Path())
		_ = w.held.Unlock()
	}
	w.id, w.held = "", nil
}

func (w *windowLocks) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.release()
}

// has reports whether another window is in a conversation.
func (w *windowLocks) has(e conversation.Entry) bool {
	w.mu.Lock()
	own := w.id == e.ID
	w.mu.Unlock()
	return !own && e.Ended.IsZero() && !Left(w.state)(e)
}

// Left returns a function that reports whether no window has a conversation open, by the locks in a state folder.
func Left(state *os.Root) func(e conversation.Entry) bool {
	return func(e conversation.Entry) bool { return !lock.Held(state, windowFile(e.ID)) }
}

// ErrHeld is returned for a conversation that is open in another window.
var ErrHeld = conversation.ErrHeld

// NewConversationID returns an ID for Options.Pinned, of a conversation that starts with the session.
func NewConversationID() string { return conversation.NewID(time.Now()) }

// errOpenElsewhere is returned if another process has the last conversation open.
var errOpenElsewhere = errors.New("the last conversation is open in another chatvault: type your message there, or close it first; chatvault ask without -c begins a new one")

// chooseConversation selects and locks the session's conversation: the one used last, where an unfinished message counts
// as use, or a new one if another window has that open.
func (a *Session) chooseConversation(o Options) error {
	if o.Pinned != "" {
		_, err := a.manager.Open(o.Pinned, time.Now())
		return err
	}
	list, err := a.manager.List()
	if err != nil {
		return err
	}
	elsewhere, box := false, inbox.Open(a.state)
	list = withMessages(list, slices.DeleteFunc(box.Read(), box.Others)) // running messages belong to their process
	slices.SortStableFunc(list, func(a, b conversation.Entry) int { return b.Last.Compare(a.Last) })
	for _, e := range list {
		if !e.Ended.IsZero() || elsewhere && a.idle(e) {
			continue
		}
		if _, err := a.manager.Open(e.ID, time.Now()); !errors.Is(err, ErrHeld) {
			return err
		}
		elsewhere = true
	}
	switch {
	case elsewhere && o.Name == "ask" && !o.NewConversation:
		return errOpenElsewhere
	case elsewhere && o.Name == "chat":
		a.warnings.add("Another window is open on this vault, so a new conversation begins here. /conversations shows what is said there.")
	}
	_, err = a.manager.Open(NewConversationID(), time.Now())
	return err
}

// idle reports whether a conversation has been idle for so long that it ends.
func (a *Session) idle(e conversation.Entry) bool {
	timeout := time.Duration(a.config.IdleMinutes.V) * time.Minute
	return timeout > 0 && time.Since(e.Last.Round(0)) > timeout
}

// Conversation returns the ID of the session's conversation.
func (a *Session) Conversation() string { return a.manager.ID() }

// askedFirst returns the approval mode of a session that asks about every change unless the user's own file, the
// environment or a flag sets a mode. A vault's settings cannot weaken it.
func askedFirst(set config.Value[config.Approval]) config.Approval {
	switch set.Origin.Kind {
	case config.Default, config.VaultSettings, config.VaultFile:
		return config.ApprovalWrites
	}
	return set.V
}

// Listed returns the conversations of a vault's folder, last used first, without empty ones; an unfinished message
// counts as content. It needs no open session.
func Listed(dir string) ([]Past, error) {
	state, err := home.LookIfThere(dir)
	if state == nil || err != nil {
		return nil, err
	}
	defer func() { _ = state.Close() }()
	entries, err := conversation.NewManager(state, conversation.Options{}).List()
	if err != nil {
		return nil, err
	}
	entries = withMessages(entries, inbox.Open(state).Read())
	slices.SortStableFunc(entries, func(a, b conversation.Entry) int {
		return cmp.Or(b.Last.Compare(a.Last), strings.Compare(b.ID, a.ID))
	})
	list := make([]Past, len(entries))
	for i, e := range entries {
		list[i] = Past{Entry: e}
	}
	return list, nil
}

// Delete ends and removes a conversation of a vault's folder that is open nowhere, with its unfinished messages. A missing
// one is no error.
func Delete(dir, id string) error {
	list, err := Listed(dir)
	if err != nil || !slices.ContainsFunc(list, func(p Past) bool { return p.ID == id }) {
		return err
	}
	state, err := home.Open(dir)
	if err != nil {
		return err
	}
	defer func() { _ = state.Close() }()
	if lock.Held(state, windowFile(id)) {
		return ErrHeld
	}
	box := inbox.Open(state)
	for _, e := range box.Read() {
		if e.Conversation == id {
			err = errors.Join(err, box.Drop(e.ID))
		}
	}
	m := conversation.NewManager(state, conversation.Options{})
	_, endErr := m.EndLeft(time.Now(), "command", func(e conversation.Entry) bool { return e.ID == id })
	if gone := m.Delete(id); !errors.Is(gone, fs.ErrNotExist) {
		err = errors.Join(err, endErr, gone)
	}
	return err
}

// withMessages returns the conversations that are not empty, counting unfinished messages.
func withMessages(list []conversation.Entry, unfinished []inbox.Entry) []conversation.Entry {
	list = slices.DeleteFunc(list, func(e conversation.Entry) bool { return e.Turns+e.Branches == 0 })
	for _, e := range unfinished {
		i := slices.IndexFunc(list, func(c conversation.Entry) bool { return c.ID == e.Conversation })
		switch {
		case e.Conversation == "" || e.Reported:
		case i >= 0 && e.Time.After(list[i].Last):
			list[i].Last = e.Time
		case i < 0 && e.After == "":
			list = append(list, conversation.Entry{ID: e.Conversation, First: text.FirstLine(e.Text), Last: e.Time})
		}
	}
	return list
}
