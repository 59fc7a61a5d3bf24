package consent

import "golang.org/x/sys/unix"

// discardInput drops what was typed at a terminal and not read.
func discardInput(fd int) { _ = unix.IoctlSetInt(fd, unix.TCFLSH, unix.TCIFLUSH) }

// hideInput keeps a terminal from showing what is typed; keys that stop the program still do.
func hideInput(fd int) error {
	t, err := unix.IoctlGetTermios(fd, unix.TCGETS)
	if err != nil {
		return err
	}
	t.Lflag &^= unix.ECHO
	return unix.IoctlSetTermios(fd, unix.TCSETS, t)
}
