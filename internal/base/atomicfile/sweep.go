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

// IsTemp reports whether the base name of a file belongs to a temporary file of this package.
func IsTemp(base string) bool { return strings.HasPrefix(base, TempPrefix) }

// SweepTemps removes the temporary files that crashed writers left in the folder dir of root, but not in its
// subfolders, and returns their number. Files in use remain.
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

// RemoveTemp removes a temporary file unless it is in use or cannot be opened.
func RemoveTemp(root *os.Root, name string) (removed bool, err error) {
	info, err := root.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil // another sweep removed it
	}
	if err != nil {
		return false, err
	}
	if !info.Mode().IsRegular() || !IsTemp(path.Base(name)) {
		return false, nil // not a file of this package
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
