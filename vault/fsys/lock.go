package fsys

import (
	"context"
	"os"
	"time"

	"chatvault/vault/failure"
)

// lockWait bounds the wait for another process's change.
const lockWait = 10 * time.Second

// LockOut keeps the changes of other chatvault processes on this vault out for the time
// of one change, so that the check of a note's hash and the rename belong together. No lock
// file is left in the vault. Where the file system has no locks there is none.
func LockOut(ctx context.Context, root *os.Root) (unlock func(), err error) {
	try, unlock, err := vaultLock(root)
	if err != nil {
		return nil, failure.Wrap(err, ".", "change")
	}
	deadline := time.Now().Add(lockWait)
	for {
		held, err := try()
		if err != nil {
			unlock()
			return nil, failure.Wrap(err, ".", "change")
		}
		if !held {
			return unlock, nil
		}
		if time.Now().After(deadline) {
			unlock()
			return nil, failure.New(failure.KindOther, ".", "Another chatvault is changing this vault and has not finished. Nothing was changed; try again.")
		}
		select {
		case <-ctx.Done():
			unlock()
			return nil, ctx.Err()
		case <-time.After(5 * time.Millisecond):
		}
	}
}
