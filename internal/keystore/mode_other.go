//go:build !unix

package keystore

import "io/fs"

// private is for systems whose files have modes.
func private(fs.FileInfo) error { return nil }
