//go:build !darwin

package vault

import "io/fs"

// addSystem adds to a stat what only the system's own says.
func addSystem(*fileStat, fs.FileInfo) {}
