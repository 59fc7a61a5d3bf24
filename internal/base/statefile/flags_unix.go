//go:build unix

package statefile

import "syscall"

// openFlags prevents an open from blocking on something other than a file.
const openFlags = syscall.O_NONBLOCK
