//go:build unix

package fsys

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// vaultLock is a lock on the vault's folder itself. try says whether another process holds it; unlock
// gives up what was taken.
func vaultLock(root *os.Root) (try func() (held bool, err error), unlock func(), err error) {
	d, err := root.Open(".")
	if err != nil {
		return nil, nil, err
	}
	unlock = func() { _ = d.Close() } // closing gives the lock back
	conn, err := d.SyscallConn()
	if err != nil {
		unlock()
		return nil, nil, err
	}
	try = func() (held bool, err error) {
		err = conn.Control(func(fd uintptr) {
			err := unix.Flock(int(fd), unix.LOCK_EX|unix.LOCK_NB)
			held = errors.Is(err, unix.EWOULDBLOCK) || errors.Is(err, unix.EINTR)
		})
		return held, err
	}
	return try, unlock, nil
}
