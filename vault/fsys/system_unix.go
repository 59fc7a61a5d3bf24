//go:build unix

package fsys

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"

	"chatvault/internal/base/atomicfile"
)

// vaultLock returns a lock on the vault's folder. try reports whether another process holds it; unlock releases the
// lock.
func vaultLock(root *os.Root) (try func() (held bool, err error), unlock func(), err error) {
	d, err := root.Open(".")
	if err != nil {
		return nil, nil, err
	}
	try = func() (held bool, err error) {
		err = atomicfile.OnFd(d, func(fd int) error {
			err := unix.Flock(fd, unix.LOCK_EX|unix.LOCK_NB)
			held = errors.Is(err, unix.EWOULDBLOCK) || errors.Is(err, unix.EINTR)
			return nil
		})
		return held, err
	}
	return try, func() { _ = d.Close() }, nil // releases the lock
}

// MayWrite returns an error if files in a folder cannot be created and renamed.
func MayWrite(dir string) error { return unix.Access(dir, unix.W_OK|unix.X_OK) }
