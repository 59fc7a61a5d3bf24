package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

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
	f, err := os.CreateTemp(dir, ".config-*.tmp") // mode 0600
	if err != nil {
		return fmt.Errorf("nothing can be written to %s: %w", dir, text.Cause(err))
	}
	defer func() { _ = os.Remove(f.Name()) }()
	_, err = f.WriteString(Template())
	if err == nil {
		err = f.Sync()
	}
	if closing := f.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return fmt.Errorf("%s cannot be written: %w", path, text.Cause(err))
	}
	// A link, unlike a rename, does not replace what is there.
	if err := os.Link(f.Name(), path); err != nil {
		if errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("%s: %w; edit it, or move it away first", path, ErrExists)
		}
		return initWithoutLinks(f.Name(), path)
	}
	return syncFolder(dir)
}

// initWithoutLinks serves file systems that have no hard links.
func initWithoutLinks(temp, path string) error {
	if _, err := os.Lstat(path); err == nil {
		return fmt.Errorf("%s: %w; edit it, or move it away first", path, ErrExists)
	}
	if err := os.Rename(temp, path); err != nil {
		return fmt.Errorf("%s cannot be written: %w", path, text.Cause(err))
	}
	return syncFolder(filepath.Dir(path))
}

// syncFolder makes a new name in a folder durable; a system that cannot sync folders
// has its own ways.
func syncFolder(dir string) error {
	d, err := os.Open(dir) // the folder of the user's configuration
	if err != nil {
		return fmt.Errorf("the folder %s cannot be read: %w", dir, text.Cause(err))
	}
	_ = d.Sync()
	return d.Close()
}
