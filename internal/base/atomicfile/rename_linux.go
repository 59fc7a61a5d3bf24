package atomicfile

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// renameNoReplace uses RENAME_NOREPLACE. File systems without it (NFS, some FUSE) return EINVAL; then a file is
// linked to the new name, which never replaces a file, and unlinked from the old one. For a folder it checks the new
// name first, and the rename could replace only an empty folder.
func renameNoReplace(oldDir *os.File, oldBase string, newDir *os.File, newBase string) error {
	return OnFd(oldDir, func(oldFd int) error {
		return OnFd(newDir, func(newFd int) error {
			err := unix.Renameat2(oldFd, oldBase, newFd, newBase, unix.RENAME_NOREPLACE)
			if !errors.Is(err, unix.EINVAL) && !errors.Is(err, unix.ENOSYS) && !errors.Is(err, unix.ENOTSUP) {
				return err
			}
			return renameByLink(oldFd, oldBase, newFd, newBase)
		})
	})
}

func renameByLink(oldFd int, oldBase string, newFd int, newBase string) error {
	var st unix.Stat_t
	if err := unix.Fstatat(oldFd, oldBase, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return err
	}
	if st.Mode&unix.S_IFMT == unix.S_IFREG {
		err := unix.Linkat(oldFd, oldBase, newFd, newBase, 0)
		if err == nil {
			return unix.Unlinkat(oldFd, oldBase, 0)
		}
		if !errors.Is(err, unix.EPERM) && !errors.Is(err, unix.ENOTSUP) && !errors.Is(err, unix.EOPNOTSUPP) {
			return err
		}
	}
	if err := unix.Fstatat(newFd, newBase, &st, unix.AT_SYMLINK_NOFOLLOW); err == nil {
		return fs.ErrExist
	}
	return unix.Renameat(oldFd, oldBase, newFd, newBase)
}
