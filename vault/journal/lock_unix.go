//go:build unix

package journal

import (
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// lockFile marks a file as in use as long as it is open, however its process ends. A reader that
// looks holds it for a moment; where somebody else holds it for longer, or there are no locks, there
// is no mark.
func lockFile(f *os.File) {
	for range 20 {
		var err error
		onFd(f, func(fd int) { err = unix.Flock(fd, unix.LOCK_EX|unix.LOCK_NB) })
		if !errors.Is(err, unix.EWOULDBLOCK) && !errors.Is(err, unix.EINTR) {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// lockedByOther says whether somebody holds the file. The lock that it takes ends with the file.
func lockedByOther(f *os.File) (held bool) {
	onFd(f, func(fd int) { held = errors.Is(unix.Flock(fd, unix.LOCK_SH|unix.LOCK_NB), unix.EWOULDBLOCK) })
	return held
}

func onFd(f *os.File, do func(fd int)) {
	conn, err := f.SyscallConn()
	if err != nil {
		return
	}
	_ = conn.Control(func(fd uintptr) { do(int(fd)) })
}
