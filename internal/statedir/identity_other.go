//go:build !linux && !darwin

package statedir

// identify knows no folder here: a folder of state belongs to a path alone.
func identify(string) folderID { return folderID{} }
