package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"chatvault/internal/base/atomicfile"
	"chatvault/internal/base/statefile"
	"chatvault/internal/base/text"
)

// stateList is a short persistent list in a JSON file of the XDG state folder: {"KEY": [...], "version": N}.
type stateList[T comparable] struct {
	file string // in the state folder
	key  string
	most int // maximum number of entries; the last ones are dropped
}

// stateListVersion is the version of the files, as JSON.
const stateListVersion = "1"

// errForeign is wrapped by the error for a file of another format.
var errForeign = errors.New("move it away to start a new one")

func (l stateList[T]) path() string { return filepath.Join(StateDir(), l.file) }

// read returns the list. A missing file is an empty list.
func (l stateList[T]) read() (list []T, err error) {
	root, err := os.OpenRoot(StateDir())
	var data []byte
	if err == nil {
		defer func() { _ = root.Close() }()
		data, err = statefile.Read(root, l.file, maxFile)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil && !statefile.Foreign(err):
		return nil, fmt.Errorf("%s cannot be read: %w", l.path(), text.Cause(err))
	}
	var fields map[string]json.RawMessage
	_ = json.Unmarshal(data, &fields) // without fields, the version is wrong
	if string(fields["version"]) != stateListVersion || json.Unmarshal(fields[l.key], &list) != nil {
		return nil, fmt.Errorf("%s: is not a list of %s that this version understands; %w", l.path(), l.key, errForeign)
	}
	return list[:min(len(list), l.most)], nil
}

// put stores an entry first, in place of those for which replaces returns true. A file of another format is moved away.
func (l stateList[T]) put(entry T, replaces func(T) bool) error {
	list, err := l.read()
	if errors.Is(err, errForeign) {
		_, err = atomicfile.SetAsidePath(l.path())
	}
	if err != nil {
		return err
	}
	if slices.Contains(list, entry) {
		return nil
	}
	list = slices.Insert(slices.DeleteFunc(list, replaces), 0, entry)
	fields := map[string]any{"version": json.RawMessage(stateListVersion), l.key: list[:min(len(list), l.most)]}
	data, err := json.MarshalIndent(fields, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(StateDir(), 0o700); err != nil {
		return fmt.Errorf("%s cannot be made: %w", StateDir(), text.Cause(err))
	}
	return atomicfile.WritePath(l.path(), append(data, '\n'), 0o600)
}
