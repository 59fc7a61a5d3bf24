package statedir

import "golang.org/x/sys/unix"

// identify returns the identity of a folder, as far as its file system reports it.
func identify(dir string) folderID {
	var st unix.Statx_t
	if err := unix.Statx(unix.AT_FDCWD, dir, 0, unix.STATX_INO|unix.STATX_BTIME, &st); err != nil {
		return folderID{}
	}
	id := folderID{Inode: st.Ino}
	if st.Mask&unix.STATX_BTIME != 0 {
		id.Born = st.Btime.Sec*1e9 + int64(st.Btime.Nsec)
	}
	return id
}
