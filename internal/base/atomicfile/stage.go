package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"time"

	"chatvault/internal/base/failpoint"
)

// Staged is the new content of a file in a temporary file next to it. It serves changes of several files: first all
// are staged and synced, then all are renamed.
type Staged struct {
	w         Writer
	name      string
	temp      string   // the temporary file; "" after Place
	f         *os.File // nil if closed
	exclusive bool
}

// Stage writes the new content of an existing file or, with Options.Exclusive, of a new one to a temporary file; that of
// an existing file has the same mode and owner. When it returns, the content is on disk. The temporary file is not locked:
// the caller must prevent sweeps until Close.
func (w Writer) Stage(root *os.Root, name string, data []byte, o Options) (*Staged, error) {
	if failpoint.Naive {
		return &Staged{}, naive(root, name, data, o.Perm)
	}
	o.mustExist = !o.Exclusive
	s, err := w.stage(root, name, data, o, false)
	if err != nil {
		return nil, err
	}
	err = errors.Join(s.sync(), s.f.Close())
	s.f = nil
	if err != nil {
		s.Close(root)
		return nil, err
	}
	return s, nil
}

// stage writes data to a temporary file next to name, which stays open.
func (w Writer) stage(root *os.Root, name string, data []byte, o Options, lock bool) (*Staged, error) {
	name = path.Clean(filepath.ToSlash(name))
	old, err := target(root, name)
	switch {
	case err != nil:
		return nil, err
	case old == nil && o.mustExist:
		return nil, &fs.PathError{Op: "write", Path: name, Err: fs.ErrNotExist}
	case old != nil && o.Exclusive:
		return nil, &fs.PathError{Op: "write", Path: name, Err: fs.ErrExist}
	case old != nil:
		o.Perm = old.Mode().Perm()
	case o.Perm == 0:
		o.Perm = 0o600
	}
	s := &Staged{w: w, name: name, exclusive: o.Exclusive}
	if s.temp, s.f, err = w.createTemp(root, path.Dir(name), o.Perm, lock); err != nil {
		return nil, fmt.Errorf("write %s: %w", name, err)
	}
	if old != nil {
		err = copyAttributes(s.f, old)
	}
	if err == nil {
		err = w.write(s.f, name, data)
	}
	if err != nil {
		s.Close(root)
		return nil, fmt.Errorf("write %s: %w", name, err)
	}
	if !o.Modified.IsZero() {
		_ = root.Chtimes(s.temp, time.Time{}, o.Modified) // optional: some file systems cannot store it
	}
	return s, nil
}

// sync returns when the content is on disk.
func (s *Staged) sync() error {
	if err := s.w.step(StepSync, s.name, s.f.Sync); err != nil {
		return fmt.Errorf("write %s: %w", s.name, err)
	}
	return nil
}

// Place renames the temporary file to the target. It does not sync the folder.
func (s *Staged) Place(root *os.Root) error {
	if s.Placed() {
		return nil
	}
	err := s.w.fault(StepRename, s.name)
	switch {
	case err != nil:
	case s.exclusive:
		err = RenameNoReplace(root, s.temp, root, s.name)
	default:
		err = retry(func() error { return root.Rename(s.temp, s.name) })
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", s.name, err)
	}
	s.temp = ""
	return nil
}

// Placed reports whether the file has its new content.
func (s *Staged) Placed() bool { return s.temp == "" }

// Close removes the temporary file if it was not placed.
func (s *Staged) Close(root *os.Root) {
	if s.f != nil {
		_ = s.f.Close()
		s.f = nil
	}
	if s.temp != "" {
		_ = root.Remove(s.temp)
		s.temp = ""
	}
}
