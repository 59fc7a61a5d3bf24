package keystore

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/BurntSushi/toml"
	"github.com/gofrs/flock"

	"chatvault/internal/app/config"
	"chatvault/internal/base/atomicfile"
	"chatvault/internal/base/statefile"
	"chatvault/internal/base/text"
)

const (
	fileName = "keys.toml"
	lockName = ".keys.lock"
	schema   = 1

	maxFile = 1 << 20 // in bytes
)

const heading = `# Keys that were typed into chatvault. "chatvault config forget-key NAME" removes one.
# Nobody but you may read this file.

`

// record is an entry of the file.
type record struct {
	Provider  string    `toml:"provider"`
	Address   string    `toml:"address"`
	Variable  string    `toml:"variable,omitempty"`
	Stored    time.Time `toml:"stored"`
	InsteadOf string    `toml:"instead_of,omitempty"`
	Keyring   bool      `toml:"keyring,omitempty"`
	Key       string    `toml:"key,omitempty"`
}

func (r record) id() ID { return ID{r.Provider, r.Address} }

type content struct {
	Schema int      `toml:"schema"`
	Keys   []record `toml:"keys"`
}

func (s *Store) path() string { return filepath.Join(s.opt.Folder, fileName) }

// errCorrupt is returned for a readable file that is invalid.
var errCorrupt = errors.New("it makes no sense as TOML")

// read returns the stored records, or none if there is no file.
func (s *Store) read() ([]record, error) {
	root, err := os.OpenRoot(s.opt.Folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("the stored keys cannot be read: %w", err)
	}
	defer func() { _ = root.Close() }()
	list, err := readFile(root)
	if err != nil {
		return nil, fmt.Errorf("the stored keys in %s cannot be used: %w", s.path(), err)
	}
	return list, nil
}

func readFile(root *os.Root) ([]record, error) {
	f, info, err := statefile.Open(root, fileName, os.O_RDONLY, 0)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case errors.Is(err, statefile.ErrNotFile):
		return nil, errors.New("it is not a regular file; move it away")
	case err != nil:
		return nil, text.Cause(err)
	}
	defer func() { _ = f.Close() }()
	if err := checkPrivate(info); err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	switch {
	case err != nil:
		return nil, text.Cause(err)
	case len(data) > maxFile:
		return nil, fmt.Errorf("it is larger than %d bytes", maxFile)
	}
	var c content
	if err := toml.Unmarshal(data, &c); err != nil {
		return nil, errCorrupt // the parser's error may contain a key
	}
	if c.Schema > schema {
		return nil, errors.New("a later version of chatvault wrote it")
	}
	return c.Keys, nil
}

// change reads the file and writes what do returns, unless that is nil, under a lock. An invalid file is set aside.
func (s *Store) change(do func([]record) []record) error {
	if err := os.MkdirAll(s.opt.Folder, 0o700); err != nil {
		return err
	}
	root, err := os.OpenRoot(s.opt.Folder)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	lock := flock.New(filepath.Join(s.opt.Folder, lockName), flock.SetPermissions(0o600))
	if err := lock.Lock(); err != nil {
		return err
	}
	defer func() { _ = lock.Unlock() }()
	list, err := readFile(root)
	if errors.Is(err, errCorrupt) {
		_, err = atomicfile.SetAside(root, fileName)
	}
	if err != nil {
		return fmt.Errorf("the stored keys in %s cannot be used: %w", s.path(), err)
	}
	if list = do(list); list == nil {
		return nil
	}
	b := bytes.NewBufferString(heading)
	if err := toml.NewEncoder(b).Encode(content{schema, list}); err != nil {
		return err
	}
	return atomicfile.WriteFile(root, fileName, b.Bytes(), 0o600)
}

// checkOutsideVault returns an error if the file would be inside the vault, which other people and programs can read.
func (s *Store) checkOutsideVault() error {
	if s.opt.Vault != "" && config.Inside(s.opt.Folder, s.opt.Vault) {
		return fmt.Errorf("%s would be inside the vault, where no key is kept", s.path())
	}
	return nil
}
