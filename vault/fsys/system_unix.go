//go:build unix

package fsys

import (
	"os"

	"github.com/gofrs/flock"
	"golang.org/x/sys/unix"
)

// vaultLock returns a lock on the vault's folder.
func vaultLock(root *os.Root) (*flock.Flock, error) {
	return flock.New(root.Name(), flock.SetFlag(os.O_RDONLY|unix.O_DIRECTORY|unix.O_NONBLOCK)), nil
}

// MayWrite returns an error if files in a folder cannot be created and renamed.
func MayWrite(dir string) error { return unix.Access(dir, unix.W_OK|unix.X_OK) }
