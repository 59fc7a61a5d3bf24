//go:build !unix

package config

import "io/fs"

// readableByOthers is not told by mode bits here.
func readableByOthers(fs.FileInfo) bool { return false }
