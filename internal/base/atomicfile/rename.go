package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"time"
)

// RenameNoReplace renames oldName in oldRoot to newName in newRoot. If that exists, it returns fs.ErrExist; only on
// systems and file systems without an exclusive rename, a file created at the same time can be replaced. Across file systems the error is syscall.EXDEV.
func RenameNoReplace(oldRoot *os.Root, oldName string, newRoot *os.Root, newName string) error {
	oldDir, err := oldRoot.Open(path.Dir(filepath.ToSlash(oldName)))
	if err != nil {
		return err
	}
	defer func() { _ = oldDir.Close() }()
	newDir, err := newRoot.Open(path.Dir(filepath.ToSlash(newName)))
	if err != nil {
		return err
	}
	defer func() { _ = newDir.Close() }()
	err = renameNoReplace(oldDir, path.Base(oldName), newDir, path.Base(newName))
	if err == nil {
		return nil
	}
	if errors.Is(err, fs.ErrExist) {
		err = fs.ErrExist
	}
	return &os.LinkError{Op: "rename", Old: oldName, New: newName, Err: err}
}

// SetAside renames an invalid file to name.corrupt-<time>, so that it is neither read again nor overwritten, and
// returns the new name. The time is in UTC, as in 20261121T101500.123456789Z.
func SetAside(root *os.Root, name string) (newName string, err error) {
	name = filepath.ToSlash(name)
	newName = name + ".corrupt-" + time.Now().UTC().Format("20060102T150405.000000000Z")
	if err := RenameNoReplace(root, name, root, newName); err != nil {
		return "", fmt.Errorf("set aside %s: %w", name, err)
	}
	return newName, SyncDir(root, path.Dir(name))
}
