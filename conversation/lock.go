package conversation

import (
	"context"
	"errors"
	"os"
	"time"

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
var errBusy = errors.New("another chatvault is busy with the conversations; close it, or try again")

// lock takes the lock of the conversations and returns what releases it. Only errBusy is an
// error: where a file system has no locks, or the folder cannot be written, nothing is gained by
// refusing, and what is done next tells what is wrong.
func (s store) lock() (release func(), err error) {
	free := func() {}
	l, err := statefile.NewLock(s.root, lockFile)
	if statefile.Foreign(err) {
		return free, err
	} else if err != nil {
		return free, nil // what is done next tells what is wrong
	}
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
