package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"chatvault/internal/text"

	"chatvault/internal/atomicfile"
	"chatvault/internal/statefile"
)

// stateList is a short list that is kept from one start to the next, in a JSON file of the XDG state
// folder: {"KEY": [...], "version": N}.
type stateList[T any] struct {
	file string // in the state folder
	key  string
	most int // entries that are kept: the first ones
}

const stateListVersion = 1

// errForeign is at the end of what is said of a file that cannot be understood.
var errForeign = errors.New("move it away to start a new one")

func (l stateList[T]) foreign() error {
	return fmt.Errorf("is not a list of %s that this version understands; %w", l.key, errForeign)
}

func (l stateList[T]) path() string { return filepath.Join(StateDir(), l.file) }

// read gives the list; one that is not there is empty.
func (l stateList[T]) read() ([]T, error) {
	data, err := l.bytes()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if statefile.Foreign(err) {
		return nil, fmt.Errorf("%w: %w", l.foreign(), err)
	}
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", l.path(), text.Cause(err))
	}
	var fields map[string]json.RawMessage
	var version int
	var list []T
	err = json.Unmarshal(data, &fields)
	if err == nil {
		err = json.Unmarshal(fields["version"], &version)
	}
	if err == nil && fields[l.key] != nil {
		err = json.Unmarshal(fields[l.key], &list)
	}
	if err != nil || version != stateListVersion {
		return nil, fmt.Errorf("%s: %w", l.path(), l.foreign())
	}
	return list[:min(len(list), l.most)], nil
}

// bytes reads the file with care.
func (l stateList[T]) bytes() ([]byte, error) {
	root, err := os.OpenRoot(StateDir())
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }()
	return statefile.Read(root, l.file, maxFile)
}

// setAside moves a list away that cannot be understood, as err says; any other err is given back.
func (l stateList[T]) setAside(err error) error {
	if errors.Is(err, errForeign) {
		_, err = atomicfile.SetAsidePath(l.path())
	}
	return err
}

func (l stateList[T]) write(list []T) error {
	data, err := json.MarshalIndent(map[string]any{"version": stateListVersion, l.key: list[:min(len(list), l.most)]}, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(StateDir(), 0o700); err != nil {
		return fmt.Errorf("%s cannot be made: %w", StateDir(), text.Cause(err))
	}
	return atomicfile.WritePath(l.path(), append(data, '\n'), 0o600)
}
