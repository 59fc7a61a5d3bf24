package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

// Staged is the new content of a file that is there, under a temporary name beside it, until it
// takes the file's place. It is for changing several files together: first all are staged and
// flushed, then all take their places.
//
// No lock marks the temporary file as in use: whoever stages keeps sweeps out until the end.
type Staged struct {
	w    Writer
	name string
	temp string   // the new content; after Place: nothing
	f    *os.File // it, until it is flushed
}

// Stage writes data to a temporary file beside name, with the mode and the owner of that file.
// Where all is flushed together, that follows; else the system begins to write it to the disk, and
// Flush follows.
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
	} else {
		beginFlush(f)
	}
	if err != nil {
		s.Close(root)
		return nil, err
	}
	return s, nil
}

// Flush returns when the new content is on the disk.
func (s *Staged) Flush() error { return s.flushed(s.f.Sync) }

func (s *Staged) flushed(sync func() error) error {
	err := errors.Join(s.w.step(StepSync, s.name, sync), s.f.Close())
	s.f = nil
	if err != nil {
		return fmt.Errorf("write %s: %w", s.name, err)
	}
	return nil
}

// Place lets the new content take the file's place; the folder is not flushed.
func (s *Staged) Place(root *os.Root) error {
	err := s.w.step(StepRename, s.name, func() error { return root.Rename(s.temp, s.name) })
	if err != nil {
		return fmt.Errorf("write %s: %w", s.name, err)
	}
	s.temp = ""
	return nil
}

// Placed says whether the new content is in the file's place.
func (s *Staged) Placed() bool { return s.temp == "" }

// Close removes the new content where it did not take its place.
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

// SyncedDir says that a folder was flushed with everything else.
func (w Writer) SyncedDir(dir string) error {
	if err := w.fault(StepSyncDir, dir); err != nil {
		return fmt.Errorf("flush folder %s: %w", dir, err)
	}
	return nil
}

// Together flushes very many files and folders of one file system at once, where that is as sure
// as one by one, and cheaper.
type Together struct{ dir *os.File }

// FlushTogether prepares it for the file system that root is on. It is nil where each file has to
// be flushed by itself: where the system cannot do it, does not say what goes wrong, or has much
// else to write. It has to be called before the first of the files is written, so that no failure
// is missed.
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

// Flush returns when all that was written before is on the disk.
func (t *Together) Flush() error { return flushAll(t.dir) }

// Close releases it; t may be nil.
func (t *Together) Close() {
	if t != nil {
		_ = t.dir.Close() // it was only flushed
	}
}
