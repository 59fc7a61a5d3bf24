//go:build darwin || freebsd || dragonfly

package index

import "golang.org/x/sys/unix"

// Local reports whether a folder is on a file system that no other machine changes.
func Local(dir string) bool {
	var st unix.Statfs_t
	return unix.Statfs(dir, &st) == nil && uint64(st.Flags)&unix.MNT_LOCAL != 0
}
