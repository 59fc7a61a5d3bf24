//go:build !linux

package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// renameNoReplace checks that the new name is free and then renames. It is not atomic, because this system has no
// exclusive rename.
func renameNoReplace(oldDir *os.File, oldBase string, newDir *os.File, newBase string) error {
	oldName, newName := filepath.Join(oldDir.Name(), oldBase), filepath.Join(newDir.Name(), newBase)
	was, err := os.Lstat(oldName)
	if err != nil {
		return err
	}
	is, err := os.Lstat(newName)
	if err == nil && !os.SameFile(was, is) { // the same file: another spelling of its own name
		return fs.ErrExist
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return retry(func() error { return os.Rename(oldName, newName) })
}
