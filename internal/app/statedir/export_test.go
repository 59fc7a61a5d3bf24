package statedir

import (
	"errors"
	"io/fs"
	"os"
)

// Exists reports whether there is state for the vault at a path.
func (d Dirs) Exists(vaultDir string) bool {
	root, err := d.Look(vaultDir)
	if err != nil {
		return false
	}
	_ = root.Close()
	return true
}

// All returns all readable records.
func (d Dirs) All() ([]Record, error) {
	base, err := os.OpenRoot(d.Base)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = base.Close() }()
	all, err := records(base)
	list := make([]Record, 0, len(all))
	for _, r := range all {
		list = append(list, *r)
	}
	return list, err
}
