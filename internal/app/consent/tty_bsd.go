//go:build darwin || dragonfly || freebsd || netbsd || openbsd

package consent

import "golang.org/x/sys/unix"

// discardInput drops unread terminal input.
func discardInput(fd int) {
	const read = 1 // FREAD
	_ = unix.IoctlSetPointerInt(fd, unix.TIOCFLUSH, read)
}

// hideInput turns off echo. Keys that stop the program still work.
func hideInput(fd int) error {
	t, err := unix.IoctlGetTermios(fd, unix.TIOCGETA)
	if err != nil {
		return err
	}
	t.Lflag &^= unix.ECHO
	return unix.IoctlSetTermios(fd, unix.TIOCSETA, t)
}
