package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"
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
	names, err := d.Readdirnames(-1)
	for _, base := range names {
		if IsTemp(base) {
			ok, e := removeTemp(root, path.Join(filepath.ToSlash(dir), base))
			if ok {
				removed++
			}
			err = errors.Join(err, e)
		}
	}
	return removed, err
}

// removeTemp removes a temporary file unless it is in use, is no regular file or cannot be opened.
func removeTemp(root *os.Root, name string) (removed bool, err error) {
	info, err := root.Lstat(name)
	if err == nil && !info.Mode().IsRegular() {
		return false, nil
	}
	var f *os.File
	if err == nil {
		f, err = root.OpenFile(name, os.O_RDWR|syscall.O_NONBLOCK, 0)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission): // another sweep removed it, or it is not ours
		return false, nil
	case err != nil:
		return false, err
	}
	defer func() { _ = f.Close() }()
	if !abandoned(f) {
		return false, nil
	}
	err = root.Remove(name)
	return err == nil, err
}
