package statedir

import "golang.org/x/sys/unix"

// identify returns the identity of a folder, as far as its file system reports it.
func identify(dir string) folderID {
	var st unix.Stat_t
	if err := unix.Stat(dir, &st); err != nil {
		return folderID{}
	}
	return folderID{Inode: st.Ino, Born: st.Btim.Nano()}
}
