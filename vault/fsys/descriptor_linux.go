package fsys

// descriptor is that of an open folder, where it has one.
func descriptor(f Folder) (fd int, ok bool) {
	if folder, is := f.(*fdFolder); is {
		return folder.fd, true
	}
	return 0, false
}
