//go:build unix

package atomicfile

import (
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// lockTemp locks a temporary file as long as it is open. It reports false if a sweep removed the file before it was
// locked.
func lockTemp(f *os.File) bool {
	alive := true
	_ = OnFd(f, func(fd int) error {
		// On a file system without locks, sweeps cannot use them either.
		locked := unix.Flock(fd, unix.LOCK_EX) == nil
		var st unix.Stat_t
		if locked && unix.Fstat(fd, &st) == nil && st.Nlink == 0 {
			alive = false
		}
		return nil
	})
	return alive
}

// abandoned reports whether no writer uses the temporary file. The caller must keep f open until it has removed the
// name, which prevents a writer from locking it.
func abandoned(f *os.File) bool {
	free := false
	_ = OnFd(f, func(fd int) error {
		free = unix.Flock(fd, unix.LOCK_EX|unix.LOCK_NB) == nil
		return nil
	})
	return free
}

// OnFd calls do with the descriptor of f, which stays open during the call.
func OnFd(f *os.File, do func(fd int) error) error {
	conn, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var doErr error
	if err := conn.Control(func(fd uintptr) { doErr = do(int(fd)) }); err != nil {
		return err
	}
	return doErr
}

// copyAttributes gives the temporary file the mode of the file that it will replace and, if permitted, its owner.
func copyAttributes(f *os.File, old fs.FileInfo) error {
	if st, ok := old.Sys().(*syscall.Stat_t); ok && (int(st.Uid) != os.Geteuid() || int(st.Gid) != os.Getegid()) {
		_ = f.Chown(int(st.Uid), int(st.Gid)) // before the mode: chown clears setuid bits
	}
	return f.Chmod(old.Mode() & (fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky))
}

// syncDir syncs an open folder.
func syncDir(d *os.File) error { return d.Sync() }

// retry does nothing but rename: open files do not prevent it.
func retry(rename func() error) error { return rename() }
