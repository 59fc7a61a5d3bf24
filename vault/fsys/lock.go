package fsys

import (
	"context"
	"os"
	"time"

	"chatvault/vault/vaulterr"
)

// lockWait limits the wait for a change by another process.
const lockWait = 10 * time.Second

// LockVault locks the vault against changes by other chatvault processes for the duration of one change, so that
// checking a note's hash and the rename are atomic. It leaves no lock file in the vault. On a file system without
// locks it does nothing.
func LockVault(ctx context.Context, root *os.Root) (unlock func(), err error) {
	try, unlock, err := vaultLock(root)
	if err != nil {
		return nil, vaulterr.Wrap(err, ".", "change")
	}
	deadline := time.Now().Add(lockWait)
	for {
		held, err := try()
		if err != nil {
			unlock()
			return nil, vaulterr.Wrap(err, ".", "change")
		}
		if !held {
			return unlock, nil
		}
		if time.Now().After(deadline) {
			unlock()
			return nil, vaulterr.New(vaulterr.KindOther, ".", "Another chatvault is changing this vault and has not finished. Nothing was changed; try again.")
		}
		select {
		case <-ctx.Done():
			unlock()
			return nil, ctx.Err()
		case <-time.After(5 * time.Millisecond):
		}
	}
}
