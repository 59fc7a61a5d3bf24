//go:build unix

package journal

import (
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"chatvault/internal/base/atomicfile"
)

// lockFile marks a file as in use until it is closed or its process ends. It retries, because a reader holds the lock
// briefly to check it. If another process holds it for longer, or if there are no locks, there is no mark.
func lockFile(f *os.File) {
	for range 20 {
		err := atomicfile.OnFd(f, func(fd int) error { return unix.Flock(fd, unix.LOCK_EX|unix.LOCK_NB) })
		if !errors.Is(err, unix.EWOULDBLOCK) && !errors.Is(err, unix.EINTR) {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// lockedByOther reports whether another process holds the lock. Its own lock ends when the file is closed.
func lockedByOther(f *os.File) bool {
	err := atomicfile.OnFd(f, func(fd int) error { return unix.Flock(fd, unix.LOCK_SH|unix.LOCK_NB) })
	return errors.Is(err, unix.EWOULDBLOCK)
}
