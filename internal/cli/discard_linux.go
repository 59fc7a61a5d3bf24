package cli

import "golang.org/x/sys/unix"

// discardInput drops what was typed at a terminal and not read.
func discardInput(fd int) { _ = unix.IoctlSetInt(fd, unix.TCFLSH, unix.TCIFLUSH) }
