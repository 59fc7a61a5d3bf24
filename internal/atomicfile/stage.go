package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

// Staged is the new content of a file that is there, safe on the disk under a temporary name
// beside it, until it takes the file's place. It is for changing several files together: first
// all are staged, then all take their places, and where one cannot, those before are put back.
//
// No lock marks the temporary files as in use: whoever stages keeps sweeps out until the end.
type Staged struct {
	w    Writer
	name string
	temp string // the new content; after Place: nothing
	old  string // after Place, the old content, a name of its own; "": it has none
}

// Stage writes data to a temporary file beside name, with the mode and the owner of that file,
// and flushes it.
func (w Writer) Stage(root *os.Root, name string, data []byte) (s *Staged, err error) {
	name = path.Clean(filepath.ToSlash(name))
	was, err := target(root, name)
	if err == nil && was == nil {
		err = fs.ErrNotExist
	}
	if err != nil {
		return nil, fmt.Errorf("write %s: %w", name, err)
	}
	temp, f, err := w.createTemp(root, path.Dir(name), was.Mode().Perm())
	if err != nil {
		return nil, fmt.Errorf("write %s: %w", name, err)
	}
	defer func() {
		_ = f.Close()
		if err != nil {
			_ = root.Remove(temp)
			err = fmt.Errorf("write %s: %w", name, err)
		}
	}()
	if err := likeOld(f, was); err != nil {
		return nil, err
	}
	if err := w.fault(StepWrite, name); err != nil {
		return nil, err
	}
	if _, err := f.Write(data); err != nil {
		return nil, err
	}
	if err := w.fault(StepSync, name); err != nil {
		return nil, err
	}
	if err := f.Sync(); err != nil {
		return nil, err
	}
	return &Staged{w: w, name: name, temp: temp}, nil
}

// Place lets the new content take the file's place; the folder is not flushed. The old content
// keeps a name, so that Revert can put that very file back.
func (s *Staged) Place(root *os.Root) error {
	if err := s.w.fault(StepRename, s.name); err != nil {
		return fmt.Errorf("write %s: %w", s.name, err)
	}
	old := s.temp + "-old"
	if err := root.Link(s.name, old); err == nil {
		s.old = old
	} else if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("write %s: %w", s.name, err)
	} // else the file system has no hard links: Revert says that it cannot
	if err := root.Rename(s.temp, s.name); err != nil {
		s.forget(root)
		return fmt.Errorf("write %s: %w", s.name, err)
	}
	s.temp = ""
	return nil
}

// Placed says whether the new content is in the file's place.
func (s *Staged) Placed() bool { return s.temp == "" }

// Revert puts the old content back in its place. Where it has no name any more, the error is
// fs.ErrNotExist, and the caller has to write it anew.
func (s *Staged) Revert(root *os.Root) error {
	if s.old == "" {
		return fmt.Errorf("restore %s: %w", s.name, fs.ErrNotExist)
	}
	if err := root.Rename(s.old, s.name); err != nil {
		return fmt.Errorf("restore %s: %w", s.name, err)
	}
	s.old = ""
	return nil
}

// Close removes what the file does not need: the new content where it did not take its place, and
// the name of the old.
func (s *Staged) Close(root *os.Root) {
	if s.temp != "" {
		_ = root.Remove(s.temp)
	}
	s.forget(root)
}

func (s *Staged) forget(root *os.Root) {
	if s.old != "" {
		_ = root.Remove(s.old)
		s.old = ""
	}
}

// SyncDir flushes a folder of root, so that names made or removed in it last.
func (w Writer) SyncDir(root *os.Root, dir string) error { return w.syncDir(root, dir) }
