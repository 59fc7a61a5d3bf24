package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

// Staged is the new content of an existing file in a temporary file next to it. It serves changes of several files:
// first all are staged and synced, then all are renamed.
//
// The temporary file is not locked: the caller must prevent sweeps until Close.
type Staged struct {
	w    Writer
	name string
	temp string   // the temporary file; "" after Place
	f    *os.File // open until it is synced
}

// Stage writes data to a temporary file next to name, with its mode and owner. With together, the caller syncs all
// files at once by Together; otherwise the caller must call Flush.
func (w Writer) Stage(root *os.Root, name string, data []byte, together bool) (s *Staged, err error) {
	name = path.Clean(filepath.ToSlash(name))
	was, err := target(root, name)
	if err == nil && was == nil {
		err = fs.ErrNotExist
	}
	if err != nil {
		return nil, fmt.Errorf("write %s: %w", name, err)
	}
	temp, f, err := w.createTemp(root, path.Dir(name), was.Mode().Perm(), false)
	if err != nil {
		return nil, fmt.Errorf("write %s: %w", name, err)
	}
	s = &Staged{w: w, name: name, temp: temp, f: f}
	if err = w.fill(f, was, name, data); err != nil {
		err = fmt.Errorf("write %s: %w", name, err)
	} else if together {
		err = s.flushed(func() error { return nil })
	}
	if err != nil {
		s.Close(root)
		return nil, err
	}
	return s, nil
}

// Flush returns when the new content is on disk.
func (s *Staged) Flush() error { return s.flushed(s.f.Sync) }

func (s *Staged) flushed(sync func() error) error {
	err := errors.Join(s.w.step(StepSync, s.name, sync), s.f.Close())
	s.f = nil
	if err != nil {
		return fmt.Errorf("write %s: %w", s.name, err)
	}
	return nil
}

// Place renames the temporary file to the target. It does not sync the folder.
func (s *Staged) Place(root *os.Root) error {
	err := s.w.step(StepRename, s.name, func() error { return root.Rename(s.temp, s.name) })
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
