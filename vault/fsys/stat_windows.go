package fsys

import (
	"io/fs"
	"syscall"
)

// recalled are the attributes of files that OneDrive and similar services download when they are read: offline, recall
// on open, recall on data access.
const recalled = 0x1000 | 0x40000 | 0x400000

// addSystem adds the fields that are specific to the system.
func addSystem(st *Stat, info fs.FileInfo) {
	if sys, ok := info.Sys().(*syscall.Win32FileAttributeData); ok {
		st.Offline = st.Kind == KindFile && sys.FileAttributes&recalled != 0
	}
}
