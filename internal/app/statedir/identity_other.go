//go:build !linux && !darwin

package statedir

// identify returns no identity: on this system a state folder belongs to a path only.
func identify(string) folderID { return folderID{} }
