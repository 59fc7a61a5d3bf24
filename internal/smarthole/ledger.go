package smarthole

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"chatvault/internal/atomicfile"
	"chatvault/internal/statefile"
)

const (
	ledgerFile   = "smarthole.json"
	ledgerSchema = 1

	maxSeen = 2000 // messages that are known when they come again
	maxKept = 1000 // notifications that wait; beyond, the oldest goes
)

// ledger is what must outlive the process: which messages were taken, and what waits to be said.
// One process at a time holds it (see Source).
type ledger struct {
	root *os.Root // the vault's state folder
	warn func(string)

	mu   sync.Mutex
	data ledgerData
}

type ledgerData struct {
	Schema int      `json:"schema"`
	Seen   []string `json:"seen"` // SmartHole's ids, oldest first
	Kept   []kept   `json:"kept"` // in the order they are sent
}

// kept is a notification that waits.
type kept struct {
	MessageID string       `json:"message_id"` // SmartHole's
	Time      time.Time    `json:"time"`
	Key       string       `json:"key,omitempty"` // one of a kind: put again, it is replaced
	What      Notification `json:"what"`

	held bool // waits for what was said before it to be put
}

// told is the notification as it is sent at now: one from before the connection, which is there
// since then, had to wait and says from when it is.
func (k kept) told(since, now time.Time) Notification {
	n := k.What
	if k.Time.Before(since) {
		when := k.Time.Local().Format("15:04")
		if k.Time.Local().Format(time.DateOnly) != now.Local().Format(time.DateOnly) {
			when = k.Time.Local().Format("2 Jan 15:04")
		}
		n.Body = "[" + when + "] " + n.Body
	}
	return n
}

func openLedger(root *os.Root, warn func(string)) (*ledger, error) {
	l := &ledger{root: root, warn: warn}
	err := statefile.ReadJSON(root, ledgerFile, maxLedger, ledgerSchema, &l.data)
	switch _, senseless := errors.AsType[statefile.Senseless](err); {
	case err == nil, errors.Is(err, fs.ErrNotExist):
		return l, nil
	case errors.Is(err, statefile.ErrLater):
		return nil, fmt.Errorf("%s was written by a later version of chatvault", ledgerFile)
	case !senseless:
		return nil, err
	}
	name, asideErr := atomicfile.SetAside(root, ledgerFile)
	if asideErr != nil {
		return nil, fmt.Errorf("%s is damaged and could not be set aside: %w", ledgerFile, asideErr)
	}
	warn(fmt.Sprintf("The record of routed messages was damaged (%v); it was set aside as %s", err, filepath.Join(root.Name(), name)))
	l.data = ledgerData{}
	return l, nil
}

// maxLedger bounds what is read of the ledger, in bytes.
const maxLedger = 64 << 20

// save writes the ledger, with mu held.
func (l *ledger) save() error {
	l.data.Schema = ledgerSchema
	return statefile.WriteJSON(l.root, ledgerFile, l.data)
}

// seen says whether a message was taken before.
func (l *ledger) seen(id string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Contains(l.data.Seen, id)
}

// take notes that a message is in the inbox.
func (l *ledger) take(id string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.data.Seen = append(l.data.Seen, id)
	if n := len(l.data.Seen) - maxSeen; n > 0 {
		l.data.Seen = slices.Delete(l.data.Seen, 0, n)
	}
	return l.save()
}

// put keeps a notification until it is sent; where one with its key waits, it takes its place.
func (l *ledger) put(k kept) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if i := l.find(k.Key); i >= 0 {
		l.data.Kept = slices.Delete(l.data.Kept, i, i+1)
	}
	l.data.Kept = append(l.data.Kept, k)
	if len(l.data.Kept) > maxKept {
		l.warn(fmt.Sprintf("More than %d notifications are waiting for SmartHole; the oldest was dropped. It is in the conversation.", maxKept))
		l.data.Kept = slices.Delete(l.data.Kept, 0, 1)
	}
	if err := l.save(); err != nil {
		l.warn("A notification for SmartHole could not be saved: " + err.Error())
	}
}

func (l *ledger) find(key string) int {
	if key == "" {
		return -1
	}
	return slices.IndexFunc(l.data.Kept, func(k kept) bool { return k.Key == key })
}

// release lets a notification that was held go, after all that was put before now.
func (l *ledger) release(key string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	i := l.find(key)
	if i < 0 || !l.data.Kept[i].held {
		return
	}
	k := l.data.Kept[i]
	k.held = false
	l.data.Kept = append(slices.Delete(l.data.Kept, i, i+1), k)
}

// drop takes back a notification that was held.
func (l *ledger) drop(key string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	i := l.find(key)
	if i < 0 || !l.data.Kept[i].held {
		return
	}
	l.data.Kept = slices.Delete(l.data.Kept, i, i+1)
	if err := l.save(); err != nil {
		l.warn("It could not be recorded that a notification does not need to be sent: " + err.Error())
	}
}

// next is the first notification that may be sent.
func (l *ledger) next() (kept, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, k := range l.data.Kept {
		if !k.held {
			return k, true
		}
	}
	return kept{}, false
}

// sent removes what was sent.
func (l *ledger) sent(k kept) {
	l.mu.Lock()
	defer l.mu.Unlock()
	i := slices.IndexFunc(l.data.Kept, func(o kept) bool {
		return o.MessageID == k.MessageID && o.Time.Equal(k.Time) && o.What == k.What
	})
	if i < 0 {
		return
	}
	l.data.Kept = slices.Delete(l.data.Kept, i, i+1)
	if err := l.save(); err != nil {
		l.warn("It could not be recorded that a notification was sent: " + err.Error())
	}
}

// waiting is how many notifications wait.
func (l *ledger) waiting() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.data.Kept)
}
