//go:build unix

package keystore

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// checkPrivate returns an error if other users can read or write the file.
func checkPrivate(info fs.FileInfo) error {
	if perm := info.Mode().Perm(); perm&0o077 != 0 {
		return fmt.Errorf("others on this machine can get at it (mode %#o); run: chmod 600 %s", perm, fileName)
	}
	if st, ok := info.Sys().(*syscall.Stat_t); ok && int(st.Uid) != os.Getuid() {
		return errors.New("it belongs to somebody else")
	}
	return nil
}
