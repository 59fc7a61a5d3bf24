//go:build unix

package journal

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// openFlags keep an open from hanging on something that is not a file.
const openFlags = syscall.O_NONBLOCK

// lockFile marks a file as in use as long as it is open, however its process ends. A reader that
// looks holds it for a moment.
func lockFile(f *os.File) {
	onFd(f, func(fd int) { _ = unix.Flock(fd, unix.LOCK_EX) }) // where there are no locks there is no mark
}

// lockedByOther says whether somebody holds the file. The lock that it takes ends with the file.
func lockedByOther(f *os.File) (held bool) {
	onFd(f, func(fd int) { held = unix.Flock(fd, unix.LOCK_SH|unix.LOCK_NB) == unix.EWOULDBLOCK })
	return held
}

func onFd(f *os.File, do func(fd int)) {
	conn, err := f.SyscallConn()
	if err != nil {
		return
	}
	_ = conn.Control(func(fd uintptr) { do(int(fd)) })
}
