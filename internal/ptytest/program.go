//go:build unix

package ptytest

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// Programs writes shell scripts, texts by file name, into a folder as programs that can be run at
// once: no process that starts meanwhile inherits the file while it is open for writing, which the
// system would refuse to run as busy.
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
