package atomicfile

import (
	"fmt"
	"os"
	"strings"
	"sync"

	"golang.org/x/sys/unix"

	"chatvault/internal/base/text"
)

// canFlushTogether reports whether syncfs(2) is as reliable as fsync for the file system of dir, and not too slow. It
// is for file systems on local disks since Linux 5.8, before which it reported no errors. It is slow if much other
// data is waiting to be written.
func canFlushTogether(dir *os.File) bool {
	var st unix.Statfs_t
	if err := OnFd(dir, func(fd int) error { return unix.Fstatfs(fd, &st) }); err != nil {
		return false
	}
	switch int64(st.Type) { //nolint:unconvert // its type is the platform's
	case unix.EXT4_SUPER_MAGIC, unix.XFS_SUPER_MAGIC, unix.BTRFS_SUPER_MAGIC, unix.F2FS_SUPER_MAGIC:
	default:
		return false
	}
	return syncfsTells() && waiting() <= maxWaiting
}

// maxWaiting is the limit of waiting data, in bytes; a current disk writes it in some tens of milliseconds.
const maxWaiting = 32 << 20

// syncfsTells reports whether the kernel's syncfs returns errors.
var syncfsTells = sync.OnceValue(func() bool {
	var u unix.Utsname
	return unix.Uname(&u) == nil && text.AtLeast(unix.ByteSliceToString(u.Release[:]), 5, 8)
})

// waiting returns the amount of unwritten data of the whole machine in bytes, or a very large number if it is
// unknown.
func waiting() int64 {
	const unknown = 1 << 60
	info, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return unknown
	}
	sum, lines := int64(0), 0
	for line := range strings.Lines(string(info)) {
		var name string
		var kb int64
		if n, _ := fmt.Sscanf(line, "%s %d kB", &name, &kb); n == 2 && (name == "Dirty:" || name == "Writeback:") {
			sum, lines = sum+kb<<10, lines+1
		}
	}
	if lines < 2 {
		return unknown
	}
	return sum
}

func flushAll(dir *os.File) error {
	return OnFd(dir, func(fd int) error {
		for {
			if err := unix.Syncfs(fd); err != unix.EINTR {
				return err
			}
		}
	})
}
