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
// flushed, then all take their places, and where one cannot, those before are put back.
//
// Once it is flushed no lock marks the temporary file as in use: whoever stages keeps sweeps out
// until the end.
type Staged struct {
	w    Writer
	name string
	temp string   // the new content; after Place: nothing
	old  string   // after Place, the old content, a name of its own; "": it has none
	f    *os.File // the new content, until Flush
}

// Stage writes data to a temporary file beside name, with the mode and the owner of that file,
// and lets the system begin to write it to the disk. Flush follows, or, where all is flushed
// together, Flushed: then nothing needs to begin earlier.
func (w Writer) Stage(root *os.Root, name string, data []byte, together bool) (s *Staged, err error) {
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
	s = &Staged{w: w, name: name, temp: temp, f: f}
	if err := w.fill(f, was, name, data); err != nil {
		s.Close(root)
		return nil, fmt.Errorf("write %s: %w", name, err)
	}
	if !together {
		beginFlush(f)
	}
	return s, nil
}

// Flush returns when the new content is on the disk.
func (s *Staged) Flush() error { return s.flushed(s.f.Sync) }

// Flushed says that the new content was flushed with everything else.
func (s *Staged) Flushed() error { return s.flushed(func() error { return nil }) }

func (s *Staged) flushed(sync func() error) error {
	err := errors.Join(s.w.step(StepSync, s.name, sync), s.f.Close())
	s.f = nil
	if err != nil {
		return fmt.Errorf("write %s: %w", s.name, err)
	}
	return nil
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
	if s.f != nil {
		_ = s.f.Close()
		s.f = nil
	}
	if s.temp != "" {
		_ = root.Remove(s.temp)
		s.temp = ""
	}
	s.forget(root)
}

func (s *Staged) forget(root *os.Root) {
	if s.old != "" {
		_ = root.Remove(s.old)
		s.old = ""
	}
}

// SyncedDir says that a folder was flushed with everything else.
func (w Writer) SyncedDir(dir string) error {
	if err := w.fault(StepSyncDir, dir); err != nil {
		return fmt.Errorf("flush folder %s: %w", dir, err)
	}
	return nil
}
