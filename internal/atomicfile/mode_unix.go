//go:build unix

package atomicfile

import (
	"io/fs"
	"os"
	"syscall"
)

// likeOld gives the temporary file the mode of the file it will replace, and, where
// the process may, its owner.
func likeOld(f *os.File, old fs.FileInfo) error {
	if st, ok := old.Sys().(*syscall.Stat_t); ok && (int(st.Uid) != os.Geteuid() || int(st.Gid) != os.Getegid()) {
		_ = f.Chown(int(st.Uid), int(st.Gid)) // before the mode: chown clears setuid bits
	}
	return f.Chmod(old.Mode() & (fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky))
}
