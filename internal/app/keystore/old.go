package keystore

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/BurntSushi/toml"

	"chatvault/internal/app/config"
	"chatvault/internal/base/atomicfile"
	"chatvault/internal/base/statefile"
	"chatvault/internal/base/text"
)

// OldFile returns the path of the file in which earlier versions kept keys where there was no keyring, and the names
// of all. It is still read, and keys are removed from it, but none is added.
func OldFile() string { return filepath.Join(filepath.Dir(config.UserPath()), "keys.toml") }

// oldKey is a key in OldFile, or the name of one in the keyring.
type oldKey struct {
	Entry
	Key string `toml:"key,omitempty"`
}

const (
	oldSchema = 1
	maxOld    = 1 << 20 // in bytes
)

type oldFile struct {
	Schema int      `toml:"schema"`
	Keys   []oldKey `toml:"keys"`
}

// readOld returns the content of OldFile, which must be a regular file that is the user's alone. Its errors do not
// contain the file's text.
func readOld() ([]oldKey, error) {
	dir, name := filepath.Split(OldFile())
	var info fs.FileInfo
	var data []byte
	var f oldFile
	root, err := os.OpenRoot(dir)
	if err == nil {
		defer func() { _ = root.Close() }()
		info, err = statefile.Stat(root, name)
	}
	if err == nil {
		data, err = statefile.Read(root, name, maxOld)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case statefile.Foreign(err): // names the file
		return nil, fmt.Errorf("the stored keys cannot be used: %w", err)
	case err != nil:
		err = fmt.Errorf("cannot be read: %w", text.Cause(err))
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0:
		err = errors.New("can be read or changed by others on this machine; run: chmod 600 " + OldFile())
	case toml.Unmarshal(data, &f) != nil:
		err = errors.New("is not valid TOML")
	case f.Schema > oldSchema:
		err = errors.New("was written by a later version of chatvault")
	default:
		return f.Keys, nil
	}
	return nil, fmt.Errorf("the stored keys in %s cannot be used: it %w", OldFile(), err)
}

// dropOld removes entries from OldFile.
func dropOld(which func(Entry) bool) error {
	list, err := readOld()
	left := slices.DeleteFunc(slices.Clone(list), func(k oldKey) bool { return which(k.Entry) })
	if len(left) == len(list) {
		return err
	}
	if len(left) == 0 {
		return os.Remove(OldFile())
	}
	b := &bytes.Buffer{}
	if err := toml.NewEncoder(b).Encode(oldFile{oldSchema, left}); err != nil {
		return err
	}
	return atomicfile.WritePath(OldFile(), b.Bytes(), 0o600)
}
