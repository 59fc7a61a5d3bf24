//go:build !linux

package vault

// descriptor is that of an open folder, where it has one.
func descriptor(folderHandle) (fd int, ok bool) { return 0, false }
