package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"chatvault/internal/base/atomicfile"
	"chatvault/internal/base/statefile"
	"chatvault/internal/base/text"
)

// StateList is a short persistent list in a JSON file of the XDG state folder: {"KEY": [...], "version": N}.
type StateList[T comparable] struct {
	File string // in the state folder
	Key  string
	Most int // maximum number of entries; the last ones are dropped
}

// stateListVersion is the version of the files, as JSON.
const stateListVersion = "1"

// errForeign is wrapped by the error for a file of another format.
var errForeign = errors.New("move it away to start a new one")

func (l StateList[T]) path() string { return filepath.Join(StateDir(), l.File) }

// Read returns the list. A missing file is an empty list.
func (l StateList[T]) Read() (list []T, err error) {
	root, err := os.OpenRoot(StateDir())
	var data []byte
	if err == nil {
		defer func() { _ = root.Close() }()
		data, err = statefile.Read(root, l.File, maxFile)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil && !statefile.Foreign(err):
		return nil, fmt.Errorf("%s cannot be read: %w", l.path(), text.Cause(err))
	}
	var fields map[string]json.RawMessage
	_ = json.Unmarshal(data, &fields) // without fields, the version is wrong
	if string(fields["version"]) != stateListVersion || json.Unmarshal(fields[l.Key], &list) != nil {
		why := errForeign
		if n, err := strconv.Atoi(string(fields["version"])); err == nil && n > 1 {
			why = fmt.Errorf("%w, and is left unchanged", statefile.ErrLater)
		}
		return nil, fmt.Errorf("%s: is not a list of %s that this version understands; %w", l.path(), l.Key, why)
	}
	return list[:min(len(list), l.Most)], nil
}

// Put stores an entry first, in place of those for which replaces returns true.
func (l StateList[T]) Put(entry T, replaces func(T) bool) error {
	return l.Change(func(list []T) []T { return slices.Insert(slices.DeleteFunc(list, replaces), 0, entry) })
}

// Change stores the list that do returns, under a lock: no change of another process is lost. A file of another format
// is moved away.
func (l StateList[T]) Change(do func([]T) []T) error {
	if err := os.MkdirAll(StateDir(), 0o700); err != nil {
		return fmt.Errorf("%s cannot be made: %w", StateDir(), text.Cause(err))
	}
	root, err := os.OpenRoot(StateDir())
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	return statefile.WithLock(root, "."+l.File+".lock", 10*time.Second, func() error {
		list, err := l.Read()
		if errors.Is(err, errForeign) {
			_, err = atomicfile.SetAside(root, l.File)
		}
		if err != nil {
			return err
		}
		list = do(list)
		fields := map[string]any{"version": json.RawMessage(stateListVersion), l.Key: list[:min(len(list), l.Most)]}
		return statefile.WriteJSON(root, l.File, fields)
	})
}
