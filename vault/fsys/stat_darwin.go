package fsys

import (
	"io/fs"
	"syscall"
)

// addSystem adds to a stat what only the system's own says.
func addSystem(st *Stat, info fs.FileInfo) {
	sys, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return
	}
	st.changed = sys.Ctimespec.Nano()
	st.inode, st.device = sys.Ino, uint64(sys.Dev)
	st.access = accessOf(uint32(sys.Mode), sys.Uid, sys.Gid)
	st.links = sys.Nlink
}
