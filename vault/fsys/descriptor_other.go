//go:build !linux

package fsys

// descriptor is that of an open folder, where it has one.
func descriptor(Folder) (fd int, ok bool) { return 0, false }
