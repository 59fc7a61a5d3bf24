package fsys

import (
	"context"
	"errors"
	"io/fs"
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
	l, err := vaultLock(root)
	if err != nil {
		return nil, vaulterr.Wrap(err, ".", "change")
	}
	wait, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	_, err = l.TryLockContext(wait, 5*time.Millisecond)
	switch _, open := errors.AsType[*fs.PathError](err); {
	case ctx.Err() != nil:
		err = ctx.Err()
	case errors.Is(err, context.DeadlineExceeded):
		err = vaulterr.New(vaulterr.KindOther, ".", "Another chatvault is changing this vault and has not finished. Nothing was changed; try again.")
	case open:
		err = vaulterr.Wrap(err, ".", "change")
	default: // locked, or there are no locks
		return func() { _ = l.Close() }, nil
	}
	_ = l.Close()
	return nil, err
}
