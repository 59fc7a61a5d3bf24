package atomicfile

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// renameNoReplace asks the kernel to rename only where the new name is free. File
// systems without that (NFS, some FUSE) answer EINVAL: there a file gets its new name
// by link, which never replaces, and loses the old one; a folder is looked for first,
// and cannot replace anything but an empty folder.
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
