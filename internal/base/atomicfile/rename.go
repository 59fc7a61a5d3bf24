package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"time"
)

// RenameNoReplace renames oldName in oldRoot to newName in newRoot. It never replaces an existing file, not even one
// created at the same time, but returns fs.ErrExist. Across file systems the error is syscall.EXDEV.
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
// returns the new name. The time is in UTC, as in 20261121T101500Z, with a number appended if that name exists.
func SetAside(root *os.Root, name string) (newName string, err error) {
	name = filepath.ToSlash(name)
	base := name + ".corrupt-" + time.Now().UTC().Format("20060102T150405Z")
	for i := 1; i <= 1000; i++ {
		newName = base
		if i > 1 {
			newName += "-" + strconv.Itoa(i)
		}
		err = RenameNoReplace(root, name, root, newName)
		if err == nil {
			return newName, SyncDir(root, filepath.ToSlash(filepath.Dir(name)))
		}
		if !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	return "", fmt.Errorf("set aside %s: %w", name, err)
}
