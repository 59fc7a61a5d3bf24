package fsys

import (
	"io/fs"
	"syscall"
)

// dataless is the flag of files that iCloud and similar services download when they are read: SF_DATALESS.
const dataless = 0x40000000

// addSystem adds the fields that are specific to the system.
func addSystem(st *Stat, info fs.FileInfo) {
	sys, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return
	}
	st.Changed = sys.Ctimespec.Nano()
	st.Inode, st.Device = sys.Ino, uint64(sys.Dev)
	st.Access = accessOf(uint32(sys.Mode), sys.Uid, sys.Gid)
	st.Links = sys.Nlink
	st.Offline = st.Kind == KindFile && sys.Flags&dataless != 0
}
