//go:build !unix

package doctor

import "io/fs"

// openToOthers is not told by modes here.
func openToOthers(fs.FileInfo) bool { return false }
