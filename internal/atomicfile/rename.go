package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

// RenameNoReplace renames oldName in oldRoot to newName in newRoot and never replaces
// a file that is there, also not one that appears meanwhile: then the error is
// fs.ErrExist. Across file systems the error is syscall.EXDEV.
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
