package atomicfile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// IsTemp reports whether a file's name (without folder) is that of a temporary file
// of this package.
func IsTemp(base string) bool { return strings.HasPrefix(base, TempPrefix) }

// SweepTemps removes the temporary files that crashed writers left in the folder dir
// of root (not below it) and says how many there were. A file that a running writer
// holds is left alone.
func SweepTemps(root *os.Root, dir string) (removed int, err error) {
	d, err := root.Open(filepath.ToSlash(dir))
	if err != nil {
		return 0, err
	}
	defer func() { _ = d.Close() }()
	for {
		names, readErr := d.Readdirnames(512)
		for _, base := range names {
			if !IsTemp(base) {
				continue
			}
			ok, e := RemoveTemp(root, path.Join(filepath.ToSlash(dir), base))
			if ok {
				removed++
			}
			err = errors.Join(err, e)
		}
		if errors.Is(readErr, io.EOF) {
			return removed, err
		}
		if readErr != nil {
			return removed, errors.Join(err, readErr)
		}
	}
}

// RemoveTemp removes one temporary file unless a running writer holds it, or it is not
// ours to open.
func RemoveTemp(root *os.Root, name string) (removed bool, err error) {
	info, err := root.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil // another sweep was faster
	}
	if err != nil {
		return false, err
	}
	if !info.Mode().IsRegular() || !IsTemp(path.Base(name)) {
		return false, nil // not of our making
	}
	f, err := root.OpenFile(name, os.O_RDWR|openFlags, 0)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer func() { _ = f.Close() }()
	if !abandoned(f) {
		return false, nil
	}
	if err := root.Remove(name); err != nil {
		return false, err
	}
	return true, nil
}
