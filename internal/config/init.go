package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"chatvault/internal/atomicfile"
	"chatvault/internal/text"
)

// ErrExists is what Init's error wraps when the file already exists.
var ErrExists = errors.New("the file already exists")

// Init writes the Template to path, for its owner alone, with the folders above it.
// The file appears whole or not at all, and an existing one is never touched.
func Init(path string) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("the folder %s cannot be made: %w", dir, text.Cause(err))
	}
	switch err := atomicfile.CreatePath(path, []byte(Template()), 0o600); {
	case errors.Is(err, fs.ErrExist):
		return fmt.Errorf("%s: %w; edit it, or move it away first", path, ErrExists)
	case err != nil:
		return fmt.Errorf("%s cannot be written: %w", path, text.Cause(err))
	}
	return nil
}
