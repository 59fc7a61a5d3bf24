//go:build unix

package ptytest

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// Programs writes executable shell scripts into a folder. scripts maps file names to the text of each script
// without its first line. It holds syscall.ForkLock, so that no child process inherits a script that is still
// open for writing: the system would refuse to run that script with ETXTBSY.
func Programs(t testing.TB, dir string, scripts map[string]string) {
	t.Helper()
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	for name, text := range scripts {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+text+"\n"), 0o700); err != nil {
			t.Error(err)
		}
	}
}
