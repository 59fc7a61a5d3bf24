//go:build unix

package statefile

import "syscall"

// openFlags keep an open from hanging on something that is not a file.
const openFlags = syscall.O_NONBLOCK
