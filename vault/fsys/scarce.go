package fsys

import (
	"errors"
	"syscall"
)

// Scarce reports whether err means that the process or the system lacks file descriptors or memory at the moment. It
// says nothing about the file.
func Scarce(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) || errors.Is(err, syscall.ENOMEM)
}
