//go:build !darwin && !windows

package fsys

import "io/fs"

// addSystem adds the fields that are specific to the system.
func addSystem(*Stat, fs.FileInfo) {}
