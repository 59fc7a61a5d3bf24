package home

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path"
	"strconv"
	"sync"

	"github.com/gofrs/flock"

	"chatvault/internal/atomicfile"
	"chatvault/internal/statefile"
)

const (
	draftFolder = "drafts"
	maxDrafts   = 20
)

// Drafts keeps what stands in the composer of this chat. Chats that are open at once have a
// draft each: a chat holds the lock drafts/N.lock while it lives, and drafts/N.txt is its own.
// One that starts takes over the draft of a chat that ended, the lowest number first. It is safe
// for concurrent use.
type Drafts struct {
	state *os.Root
	log   *slog.Logger

	mu     sync.Mutex
	chosen bool
	file   string // empty: none could be had, and nothing is kept
	lock   *flock.Flock
}

// NewDrafts keeps drafts in a vault's state folder.
func NewDrafts(state *os.Root, log *slog.Logger) *Drafts { return &Drafts{state: state, log: log} }

// Load gives the draft that is this chat's from now on; empty when there is none.
func (d *Drafts) Load() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.choose() {
		return ""
	}
	data, err := statefile.Read(d.state, d.file, 4*maxEdited)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		d.log.Warn("draft not read", "error", err)
	}
	if text, ok := d.leftInEditor(); ok {
		return text
	}
	return string(data)
}

// Save keeps text as the draft; an empty one removes it.
func (d *Drafts) Save(text string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.choose() {
		return
	}
	var err error
	if text != "" {
		err = atomicfile.WriteFile(d.state, d.file, []byte(text), 0o600)
	} else if err = atomicfile.Remove(d.state, d.file); errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if err != nil {
		d.log.Warn("draft not saved", "error", err)
	}
}

// Close lets another chat have the draft.
func (d *Drafts) Close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.lock != nil {
		_ = d.lock.Unlock()
	}
	d.lock, d.file, d.chosen = nil, "", true
}

// choose finds this chat's draft, once; false when there is none to be had.
func (d *Drafts) choose() bool {
	if d.chosen {
		return d.file != ""
	}
	d.chosen = true
	if err := d.find(); err != nil {
		d.log.Warn("drafts are not kept", "error", err)
	}
	return d.file != ""
}

// find takes the first free draft that holds something, else the first free place for one.
func (d *Drafts) find() error {
	if err := statefile.MakeFolder(d.state, draftFolder); err != nil {
		return err
	}
	for _, old := range []bool{true, false} {
		for n := 1; n <= maxDrafts; n++ {
			name := path.Join(draftFolder, strconv.Itoa(n))
			if old && !d.holds(name) {
				continue
			}
			l, err := d.take(name + ".lock")
			if err != nil {
				return err
			}
			if l != nil {
				d.lock, d.file = l, name+".txt"
				return nil
			}
		}
	}
	return fmt.Errorf("%d chats are open", maxDrafts)
}

// take takes a lock; nil when another chat has it.
func (d *Drafts) take(name string) (*flock.Flock, error) {
	l, err := statefile.NewLock(d.state, name)
	if err != nil {
		return nil, err
	}
	ok, err := l.TryLock()
	if err != nil || !ok {
		return nil, err
	}
	return l, nil
}
