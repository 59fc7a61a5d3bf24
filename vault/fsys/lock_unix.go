//go:build unix

package fsys

import (
	"context"
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"chatvault/vault/failure"
)

// lockWait bounds the wait for another process's change.
const lockWait = 10 * time.Second

// LockOut keeps the changes of other chatvault processes on this vault out for the time
// of one change, so that the check of a note's hash and the rename belong together. The
// lock is on the vault's folder itself: no lock file is left in the vault. Where the file
// system has no locks there is none.
func LockOut(ctx context.Context, root *os.Root) (unlock func(), err error) {
	d, err := root.Open(".")
	if err != nil {
		return nil, failure.Wrap(err, ".", "change")
	}
	conn, err := d.SyscallConn()
	if err != nil {
		_ = d.Close()
		return nil, failure.Wrap(err, ".", "change")
	}
	unlock = func() { _ = d.Close() } // closing gives the lock back
	deadline := time.Now().Add(lockWait)
	for {
		var lockErr error
		if err := conn.Control(func(fd uintptr) { lockErr = unix.Flock(int(fd), unix.LOCK_EX|unix.LOCK_NB) }); err != nil {
			unlock()
			return nil, failure.Wrap(err, ".", "change")
		}
		if !errors.Is(lockErr, unix.EWOULDBLOCK) && !errors.Is(lockErr, unix.EINTR) {
			return unlock, nil
		}
		if time.Now().After(deadline) {
			unlock()
			return nil, failure.New(failure.KindOther, ".", "Another chatvault is changing this vault and does not finish. Nothing was changed; try again.")
		}
		select {
		case <-ctx.Done():
			unlock()
			return nil, ctx.Err()
		case <-time.After(5 * time.Millisecond):
		}
	}
}
