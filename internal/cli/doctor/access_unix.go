//go:build unix

package doctor

import "io/fs"

// openToOthers says whether anybody but the owner may read or write a file.
func openToOthers(info fs.FileInfo) bool { return info.Mode().Perm()&0o066 != 0 }
