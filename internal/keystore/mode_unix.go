//go:build unix

package keystore

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// private says why a file may not be trusted with keys: others can read or write it.
func private(info fs.FileInfo) error {
	if perm := info.Mode().Perm(); perm&0o077 != 0 {
		return fmt.Errorf("others on this machine can get at it (mode %#o); run: chmod 600 %s", perm, fileName)
	}
	if st, ok := info.Sys().(*syscall.Stat_t); ok && int(st.Uid) != os.Getuid() {
		return errors.New("it belongs to somebody else")
	}
	return nil
}
