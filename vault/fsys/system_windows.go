package fsys

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"

	"github.com/gofrs/flock"
)

// vaultLock returns a lock on a file in the user's cache folder, named after the vault's folder, which cannot be
// locked on Windows. try reports whether another process holds it.
func vaultLock(root *os.Root) (try func() (held bool, err error), unlock func(), err error) {
	dir, err := filepath.EvalSymlinks(root.Name())
	if err != nil {
		return nil, nil, err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil, nil, err
	}
	locks := filepath.Join(cache, "chatvault", "locks")
	if err := os.MkdirAll(locks, 0o700); err != nil {
		return nil, nil, err
	}
	name := sha256.Sum256([]byte(strings.ToLower(dir)))
	l := flock.New(filepath.Join(locks, hex.EncodeToString(name[:16])+".lock"))
	try = func() (bool, error) {
		took, err := l.TryLock()
		return !took && err == nil, err
	}
	return try, func() { _ = l.Close() }, nil
}

// MayWrite returns nil: only an attempt to write can tell on Windows.
func MayWrite(string) error { return nil }
