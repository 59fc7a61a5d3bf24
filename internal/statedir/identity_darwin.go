package statedir

import "golang.org/x/sys/unix"

// identify is the identity of a folder, as far as its file system tells.
func identify(dir string) folderID {
	var st unix.Stat_t
	if err := unix.Stat(dir, &st); err != nil {
		return folderID{}
	}
	return folderID{Inode: st.Ino, Born: st.Btim.Nano()}
}
