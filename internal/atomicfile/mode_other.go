//go:build !unix

package atomicfile

import (
	"io/fs"
	"os"
)

// likeOld gives the temporary file the mode of the file it will replace.
func likeOld(f *os.File, old fs.FileInfo) error { return f.Chmod(old.Mode().Perm()) }
