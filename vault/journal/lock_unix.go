//go:build unix

package journal

import (
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"chatvault/internal/atomicfile"
)

// lockFile marks a file as in use as long as it is open, however its process ends. A reader that
// looks holds it for a moment; where somebody else holds it for longer, or there are no locks, there
// is no mark.
func lockFile(f *os.File) {
	for range 20 {
		err := atomicfile.OnFd(f, func(fd int) error { return unix.Flock(fd, unix.LOCK_EX|unix.LOCK_NB) })
		if !errors.Is(err, unix.EWOULDBLOCK) && !errors.Is(err, unix.EINTR) {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// lockedByOther says whether somebody holds the file. The lock that it takes ends with the file.
func lockedByOther(f *os.File) bool {
	err := atomicfile.OnFd(f, func(fd int) error { return unix.Flock(fd, unix.LOCK_SH|unix.LOCK_NB) })
	return errors.Is(err, unix.EWOULDBLOCK)
}
