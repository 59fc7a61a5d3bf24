package atomicfile

import (
	"os"

	"golang.org/x/sys/unix"
)

// beginFlush lets the kernel begin to write a file, so that many files that are flushed one after
// the other are on their way together.
func beginFlush(f *os.File) {
	_ = onFd(f, func(fd int) error {
		return unix.SyncFileRange(fd, 0, 0, unix.SYNC_FILE_RANGE_WRITE)
	})
}
