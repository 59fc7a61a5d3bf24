//go:build unix

package config

import "io/fs"

// readableByOthers says whether anybody but the owner can read the file.
func readableByOthers(info fs.FileInfo) bool { return info.Mode().Perm()&0o044 != 0 }
