package statefile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
)

// NewLock is a lock by a file, which is made with the first lock; what is not a regular file is refused.
func NewLock(root *os.Root, name string) (*flock.Flock, error) {
	if _, err := Stat(root, name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return flock.New(filepath.Join(root.Name(), filepath.FromSlash(name)), flock.SetPermissions(0o600)), nil
}
