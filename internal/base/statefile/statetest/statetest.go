// Package statetest provides state folders for tests.
package statetest

import (
	"os"
	"testing"
)

// Memory returns a temporary folder, in memory if the system supports it: most tests of durability need no disk.
func Memory(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "chatvault-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// Root returns an empty state folder.
func Root(t testing.TB) *os.Root {
	t.Helper()
	root, err := os.OpenRoot(Memory(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = root.Close() })
	return root
}
