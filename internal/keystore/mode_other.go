//go:build !unix

package keystore

import "io/fs"

// private accepts every file: on this system files have no such modes.
func private(fs.FileInfo) error { return nil }
