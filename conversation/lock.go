package conversation

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"chatvault/internal/statefile"
)

// What is read, changed and written in a moment is kept apart between processes by a lock. A
// turn that is to be recorded does not depend on it: it is one appended record, whole as such.
const (
	lockFile = "conversations.lock"
	lockWait = 2 * time.Second
	lockPoll = 2 * time.Millisecond
)

// errBusy says that another process held the lock all the time.
var errBusy = errors.New("another chatvault is at work on the conversations and does not end; close it, or try again")

// lock takes the lock of the conversations and returns what releases it. Only errBusy is an
// error: where a file system has no locks, or the folder cannot be written, nothing is gained by
// refusing, and what is done next tells what is wrong.
func (s store) lock() (release func(), err error) {
	free := func() {}
	if _, err := statefile.Stat(s.root, lockFile); statefile.Foreign(err) {
		return free, err
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return free, nil
	}
	l := flock.New(filepath.Join(s.root.Name(), lockFile), flock.SetPermissions(0o600))
	ctx, cancel := context.WithTimeout(context.Background(), lockWait)
	defer cancel()
	switch ok, err := l.TryLockContext(ctx, lockPoll); {
	case ok:
		return func() { _ = l.Unlock() }, nil
	case errors.Is(err, context.DeadlineExceeded) || errors.Is(err, os.ErrDeadlineExceeded):
		return free, errBusy
	}
	return free, nil
}
