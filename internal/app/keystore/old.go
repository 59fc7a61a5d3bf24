package keystore

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/BurntSushi/toml"

	"chatvault/internal/app/config"
	"chatvault/internal/base/atomicfile"
)

// OldFile returns the path of the file in which earlier versions kept keys where there was no keyring, and the names
// of all. It is still read, and keys are removed from it, but none is added.
func OldFile() string { return filepath.Join(filepath.Dir(config.UserPath()), "keys.toml") }

// oldKey is a key in OldFile, or the name of one in the keyring.
type oldKey struct {
	Entry
	Key string `toml:"key,omitempty"`
}

type oldFile struct {
	Schema int      `toml:"schema"`
	Keys   []oldKey `toml:"keys"`
}

// readOld returns the content of OldFile. Its errors do not contain the file's text.
func readOld() ([]oldKey, error) {
	data, open, err := config.ReadUserFile(OldFile(), false)
	var f oldFile
	switch {
	case err != nil:
	case open:
		err = errors.New("can be read by others on this machine; run: chmod 600 " + OldFile())
	case toml.Unmarshal(data, &f) != nil:
		err = errors.New("is not valid TOML")
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
	if err := toml.NewEncoder(b).Encode(oldFile{1, left}); err != nil {
		return err
	}
	return atomicfile.WritePath(OldFile(), b.Bytes(), 0o600)
}
