//go:build unix

package fsys

import "golang.org/x/sys/unix"

// MayWrite says why files can be neither made nor renamed in a folder; nil: they can.
func MayWrite(dir string) error { return unix.Access(dir, unix.W_OK|unix.X_OK) }
