package fsys

import (
	"os"
	"time"

	"golang.org/x/sys/unix"

	"chatvault/internal/base/atomicfile"
)

// BirthTime returns the creation time of the file, or zero if the file system does not record it.
func BirthTime(dir *os.Root, name string) time.Time {
	d, err := dir.Open(".")
	if err != nil {
		return time.Time{}
	}
	defer func() { _ = d.Close() }()
	var born time.Time
	_ = atomicfile.OnFd(d, func(fd int) error {
		var st unix.Statx_t
		err := unix.Statx(fd, name, unix.AT_SYMLINK_NOFOLLOW, unix.STATX_BTIME, &st)
		if err == nil && st.Mask&unix.STATX_BTIME != 0 && (st.Btime.Sec != 0 || st.Btime.Nsec != 0) {
			born = time.Unix(st.Btime.Sec, int64(st.Btime.Nsec))
		}
		return nil
	})
	return born
}
