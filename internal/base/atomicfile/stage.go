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
// an existing file has the same mode and owner. With sync, it returns when the content is on disk; otherwise the caller
// syncs all files at once by Together. The temporary file is not locked: the caller must prevent sweeps until Close.
func (w Writer) Stage(root *os.Root, name string, data []byte, o Options, sync bool) (*Staged, error) {
	if failpoint.Naive {
		return &Staged{}, naive(root, name, data, o.Perm)
	}
	o.mustExist = !o.Exclusive
	s, err := w.stage(root, name, data, o, false)
	if err != nil {
		return nil, err
	}
	if sync {
		err = s.sync()
	} else {
		err = w.fault(StepSync, s.name)
	}
	err = errors.Join(err, s.f.Close())
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

// SyncedDir is the StepSyncDir of a folder that Together synced.
func (w Writer) SyncedDir(dir string) error {
	if err := w.fault(StepSyncDir, dir); err != nil {
		return fmt.Errorf("flush folder %s: %w", dir, err)
	}
	return nil
}

// Together syncs many files and folders of a file system at once if that is as reliable as syncing each, and cheaper.
type Together struct{ dir *os.File }

// FlushTogether returns a Together for the file system of root, or nil if each file must be synced separately: if the
// system does not support it, does not report its errors, or has much other data to write. It must be called before
// the first write, so that no error is missed.
func FlushTogether(root *os.Root) *Together {
	dir, err := root.Open(".")
	if err != nil {
		return nil
	}
	if !canFlushTogether(dir) {
		_ = dir.Close()
		return nil
	}
	return &Together{dir}
}

// Flush returns when all earlier writes are on disk.
func (t *Together) Flush() error { return flushAll(t.dir) }

// Close releases t, which may be nil.
func (t *Together) Close() {
	if t != nil {
		_ = t.dir.Close() // it was only synced
	}
}
