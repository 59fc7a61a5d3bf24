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
// locked on Windows.
func vaultLock(root *os.Root) (*flock.Flock, error) {
	dir, err := filepath.EvalSymlinks(root.Name())
	if err != nil {
		return nil, err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil, err
	}
	locks := filepath.Join(cache, "chatvault", "locks")
	if err := os.MkdirAll(locks, 0o700); err != nil {
		return nil, err
	}
	name := sha256.Sum256([]byte(strings.ToLower(dir)))
	return flock.New(filepath.Join(locks, hex.EncodeToString(name[:16])+".lock")), nil
}

// MayWrite returns nil: only an attempt to write can tell on Windows.
func MayWrite(string) error { return nil }
