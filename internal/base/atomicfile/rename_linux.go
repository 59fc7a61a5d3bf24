package atomicfile

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// renameNoReplace uses RENAME_NOREPLACE. File systems without it (NFS, some FUSE) return EINVAL; there it checks the new
// name first, which is not atomic.
func renameNoReplace(oldDir *os.File, oldBase string, newDir *os.File, newBase string) error {
	return OnFd(oldDir, func(oldFd int) error {
		return OnFd(newDir, func(newFd int) error {
			err := unix.Renameat2(oldFd, oldBase, newFd, newBase, unix.RENAME_NOREPLACE)
			if !errors.Is(err, unix.EINVAL) && !errors.Is(err, unix.ENOSYS) && !errors.Is(err, unix.ENOTSUP) {
				return err
			}
			var st unix.Stat_t
			if unix.Fstatat(newFd, newBase, &st, unix.AT_SYMLINK_NOFOLLOW) == nil {
				return fs.ErrExist
			}
			return unix.Renameat(oldFd, oldBase, newFd, newBase)
		})
	})
}
