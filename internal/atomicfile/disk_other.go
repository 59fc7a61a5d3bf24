//go:build !linux

package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// renameNoReplace looks whether the new name is free and then renames: without a
// rename that refuses to replace there is a moment in between.
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
	return os.Rename(oldName, newName)
}

// beginFlush has no way to begin what Flush does.
func beginFlush(*os.File) {}

func canFlushTogether(*os.File) bool { return false }

func flushAll(*os.File) error { return errors.ErrUnsupported }
