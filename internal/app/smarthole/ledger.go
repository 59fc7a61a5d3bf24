package smarthole

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"chatvault/internal/base/statefile"
)

const (
	lockFile     = "smarthole.lock" // locked by the process that is connected for a vault
	ledgerFile   = "smarthole.json"
	ledgerSchema = 1

	maxSeen = 2000 // remembered messages, to recognize repeated ones
	maxKept = 1000 // waiting notifications; the oldest are dropped
)

// ledger stores the accepted messages and the waiting notifications. One process at a time holds it (see Source).
type ledger struct {
	root *os.Root // the vault's state folder
	warn func(string)
	lock *flock.Flock

	mu   sync.Mutex
	data ledgerData
}

type ledgerData struct {
	Schema int      `json:"schema"`
	Seen   []string `json:"seen"` // SmartHole's ids, oldest first
	Kept   []kept   `json:"kept"` // in the order they are sent
}

// kept is a waiting notification.
type kept struct {
	MessageID string       `json:"message_id"` // SmartHole's
	Time      time.Time    `json:"time"`
	What      Notification `json:"what"`
}

// rendered returns the notification to send now. One from before since, the start of the connection, begins with its time.
func (k kept) rendered(since time.Time) Notification {
	n := k.What
	if k.Time.Before(since) {
		n.Body = "[" + k.Time.Local().Format("2 Jan 15:04") + "] " + n.Body
	}
	return n
}

// openLedger locks and reads the ledger.
func openLedger(root *os.Root, warn func(string)) (*ledger, error) {
	lock, err := statefile.NewLock(root, lockFile)
	ok := false
	if err == nil {
		ok, err = lock.TryLock()
	}
	switch {
	case err != nil:
		return nil, errors.New("the lock of the connection cannot be taken: " + err.Error())
	case !ok:
		return nil, errors.New("another chatvault on this vault is connected")
	}
	l := &ledger{root: root, warn: warn, lock: lock}
	if err := l.load(); err != nil {
		l.close()
		return nil, err
	}
	return l, nil
}

func (l *ledger) close() { _ = l.lock.Unlock() }

func (l *ledger) load() error {
	err := statefile.ReadOrSetAside(l.root, ledgerFile, maxLedger, ledgerSchema, &l.data)
	if errors.Is(err, statefile.ErrLater) {
		return fmt.Errorf("%s: %w", ledgerFile, err)
	}
	if statefile.SetAside(err) {
		l.warn("The record of routed messages starts over: " + err.Error())
		l.data, err = ledgerData{}, nil
	}
	return err
}

// maxLedger is the maximum size of the ledger, in bytes.
const maxLedger = 64 << 20

// update changes the data and writes it. failed is the warning if writing fails.
func (l *ledger) update(failed string, change func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	change()
	l.data.Schema = ledgerSchema
	if err := statefile.WriteJSON(l.root, ledgerFile, l.data); err != nil {
		l.warn(failed + ": " + err.Error())
	}
}

// seen reports whether a message was accepted before.
func (l *ledger) seen(id string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Contains(l.data.Seen, id)
}

// take records that a message is in the inbox.
func (l *ledger) take(id string) {
	l.update("A routed message could not be noted", func() {
		l.data.Seen = append(l.data.Seen, id)
		l.data.Seen = slices.Delete(l.data.Seen, 0, max(0, len(l.data.Seen)-maxSeen))
	})
}

// put stores a notification until it is sent.
func (l *ledger) put(k kept) {
	k.Time = time.Now()
	l.update("A notification for SmartHole could not be saved", func() {
		l.data.Kept = append(l.data.Kept, k)
		if len(l.data.Kept) > maxKept {
			l.warn(fmt.Sprintf("More than %d notifications are waiting for SmartHole; the oldest was dropped. It is in the conversation.", maxKept))
			l.data.Kept = slices.Delete(l.data.Kept, 0, 1)
		}
	})
}

// next returns the first notification to send.
func (l *ledger) next() (kept, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.data.Kept) == 0 {
		return kept{}, false
	}
	return l.data.Kept[0], true
}

// sent removes a notification that was sent.
func (l *ledger) sent(k kept) {
	l.update("It could not be recorded that a notification was sent", func() {
		l.data.Kept = slices.DeleteFunc(l.data.Kept, func(o kept) bool { return o.MessageID == k.MessageID && o.Time.Equal(k.Time) && o.What == k.What })
	})
}

// waiting returns the number of waiting notifications.
func (l *ledger) waiting() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.data.Kept)
}
