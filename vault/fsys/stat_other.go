//go:build !darwin

package fsys

import "io/fs"

// addSystem adds to a stat what only the system's own says.
func addSystem(*Stat, fs.FileInfo) {}
