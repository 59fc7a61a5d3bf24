//go:build unix

package doctor

import (
	"io/fs"

	"golang.org/x/sys/unix"
)

// mayWrite says why files can be neither made nor renamed in a folder; nil: they can.
func mayWrite(dir string) error { return unix.Access(dir, unix.W_OK|unix.X_OK) }

// openToOthers says whether anybody but the owner may read or write a file.
func openToOthers(info fs.FileInfo) bool { return info.Mode().Perm()&0o066 != 0 }
