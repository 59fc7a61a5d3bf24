package journal

import (
	"errors"
	"os"
	"time"

	"golang.org/x/sys/windows"
)

// lockFile marks a file as in use until it is closed or its process ends, as on other systems.
func lockFile(f *os.File) {
	for range 20 {
		if !errors.Is(lockMark(f, windows.LOCKFILE_EXCLUSIVE_LOCK), windows.ERROR_LOCK_VIOLATION) {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// lockedByOther reports whether another process holds the lock. Its own lock ends when the file is closed.
func lockedByOther(f *os.File) bool { return errors.Is(lockMark(f, 0), windows.ERROR_LOCK_VIOLATION) }

// lockMark locks a byte far behind the end of the file: on Windows a lock blocks access to the locked bytes.
func lockMark(f *os.File, flags uint32) error {
	at := windows.Overlapped{OffsetHigh: 1 << 30}
	return windows.LockFileEx(windows.Handle(f.Fd()), flags|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &at)
}
