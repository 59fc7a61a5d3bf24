package vault

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"strings"

	"chatvault/internal/atomicfile"
	"chatvault/internal/routine"
	"chatvault/vault/failure"
	"chatvault/vault/fsys"
)

// moving is a move that is about to happen.
type moving struct {
	change      Change
	folder      bool // what moves is one
	destination string
	// rename does it, and returns what takes it back. Nothing is flushed.
	rename func() (undo func() error, err error)
	// flush makes it last.
	flush func() error
	close func()
}

// movePlan is a move with the links that it puts right, all or nothing: every new text is on the
// disk, under a name of its own, before the first takes its place; what moves is moved last; where
// a step fails, all those before it are taken back. Should the program end in between, the
// journal tells what was there.
func (v *Vault) movePlan(ctx context.Context, m *moving, mode LinkMode) (*plan, error) {
	in := fsys.NewFolders(v.root)
	if err := v.planLinks(ctx, &m.change, m.folder, mode); err != nil {
		in.Close()
		return nil, err
	}
	return &plan{
		change: m.change,
		close:  func() { in.Close(); m.close() },
		do:     func() (Change, error) { return m.change, v.move(m, in) },
	}, nil
}

func (v *Vault) move(m *moving, in *fsys.Folders) error {
	ctx := context.Background() // it has begun: it ends whole or fails
	w := newRewriting(v, m, in)
	defer w.close(ctx)
	err := w.stage(ctx)
	if err == nil {
		err = w.place(ctx)
	}
	if err != nil {
		return notTakenBack(err, w.revert(ctx))
	}
	undo, err := m.rename()
	if err != nil {
		return notTakenBack(moveError(err, m.destination), w.revert(ctx))
	}
	if err := m.flush(); err != nil {
		return notTakenBack(moveError(err, m.destination), errors.Join(undo(), w.revert(ctx)))
	}
	w.moved = true
	return nil
}

// notTakenBack is the error of a move that failed; fault is what went wrong as it was taken back.
func notTakenBack(err, fault error) error {
	if fault == nil {
		return err
	}
	text := failure.Plain(err).Error()
	var e *failure.Error
	if errors.As(err, &e) {
		text = e.Text
	}
	return &failure.Error{Err: err, Text: text + " Not all that had been done until then could be taken back at once: " + failure.Plain(fault).Error() + "."}
}

// rewriting puts the new texts of notes in their places.
type rewriting struct {
	v        *Vault
	in       *fsys.Folders
	rewrites []Rewrite // by path
	before   []string  // the paths of the notes
	after    []string  // where what belongs to them is when the move is done
	moved    bool
	staged   []*atomicfile.Staged
	places   []string             // a path in each folder of theirs
	together *atomicfile.Together // flushes all of them at once; nil: each by itself
}

func newRewriting(v *Vault, m *moving, in *fsys.Folders) *rewriting {
	w := &rewriting{v: v, in: in, rewrites: m.change.Rewrites}
	seen := make(map[string]bool)
	for _, r := range w.rewrites {
		w.before = append(w.before, r.Path)
		if m.folder {
			w.after = append(w.after, r.NewPath)
		} else {
			w.after = append(w.after, r.Path)
		}
		if folder := path.Dir(r.Path); !seen[folder] {
			seen[folder] = true
			w.places = append(w.places, r.Path)
		}
	}
	w.staged = make([]*atomicfile.Staged, len(w.rewrites))
	if len(w.rewrites) >= manyRewrites {
		w.together = atomicfile.FlushTogether(v.root)
	}
	return w
}

// manyRewrites is from how many notes on all are flushed together, if they can be.
const manyRewrites = 32

// stagedTogether is how many new texts are flushed together, when all of them are written: the
// first flush mostly writes the others with it. Meanwhile the next are written.
const stagedTogether = 128

// stage puts every new text on the disk.
func (w *rewriting) stage(ctx context.Context) error {
	flushing := make(chan error, 1)
	flushing <- nil // nothing is under way
	for from := 0; from < len(w.before); from += stagedTogether {
		to := min(from+stagedTogether, len(w.before))
		err := w.in.Each(ctx, w.before[from:to], func(dir *os.Root, name string, i int) (err error) {
			i += from
			w.staged[i], err = w.v.files.Stage(dir, name, w.rewrites[i].After, w.together != nil)
			return linkError(err, w.rewrites[i].Path)
		})
		if before := <-flushing; before != nil {
			return before
		}
		if err != nil {
			return err
		}
		routine.Go("move flush", func() { flushing <- w.flush(from, to) })
	}
	err := <-flushing
	if err == nil && w.together != nil && w.together.Flush() != nil {
		return w.stageAgain(ctx)
	}
	return err
}

// flush puts some of the new texts on the disk, or leaves that to the flush of all.
func (w *rewriting) flush(from, to int) error {
	return cmp.Or(fsys.InParallel(to-from, fsys.Workers, func(i int) error {
		s := w.staged[from+i]
		if w.together != nil {
			return linkError(s.Flushed(), w.before[from+i])
		}
		return linkError(s.Flush(), w.before[from+i])
	})...)
}

// stageAgain is stage where not all could be flushed together, which tells of nobody's files which
// of them failed.
func (w *rewriting) stageAgain(ctx context.Context) error {
	w.close(ctx)
	w.together = nil
	clear(w.staged)
	return w.stage(ctx)
}

// place lets every new text take its place, where what is there is still what it was made from.
func (w *rewriting) place(ctx context.Context) error {
	err := w.in.Each(ctx, w.before, func(dir *os.Root, name string, i int) error {
		if err := unchanged(dir, name, &w.rewrites[i]); err != nil {
			return err
		}
		return linkError(w.staged[i].Place(dir), w.before[i])
	})
	if err == nil {
		err = w.flushFolders(ctx)
	}
	return err
}

// flushFolders makes last which text has which place. It comes when all have theirs: the first
// flush mostly writes the others with it.
func (w *rewriting) flushFolders(ctx context.Context) error {
	together := w.together != nil && w.together.Flush() == nil
	return w.in.Each(ctx, w.places, func(dir *os.Root, _ string, i int) error {
		if together {
			return linkError(w.v.files.SyncedDir("."), w.places[i])
		}
		return linkError(w.v.files.SyncDir(dir, "."), w.places[i])
	})
}

// unchanged says whether a note is still what its new text was made from.
func unchanged(dir *os.Root, name string, r *Rewrite) error {
	changed := failure.New(failure.KindChanged, r.Path, "%s was changed by somebody else in this moment, when links in it were to be put right. Nothing was moved; try again.", failure.Quote(r.Path))
	info, err := dir.Lstat(name)
	if err != nil || !info.Mode().IsRegular() {
		return changed
	}
	p := &place{dir: dir, name: name, path: r.Path, info: info}
	f, err := p.open()
	if err != nil {
		return changed
	}
	defer func() { _ = f.Close() }()
	now, err := fsys.ReadBounded(context.Background(), f, p.info.Size(), int64(len(r.Before)))
	if err != nil && !errors.Is(err, failure.ErrTooLarge) {
		return linkError(err, r.Path)
	}
	if err != nil || !bytes.Equal(now, r.Before) {
		return changed
	}
	return nil
}

// linkError is the error of a note whose links could not be put right.
func linkError(err error, at string) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return failure.New(failure.KindChanged, at, "%s was moved or deleted by somebody else in this moment, when links in it were to be put right. Nothing was moved; try again.", failure.Quote(at))
	}
	err = failure.Wrap(err, at, "put links right in")
	var e *failure.Error
	if errors.As(err, &e) && !strings.Contains(e.Text, "Nothing was") {
		e.Text += " Nothing was moved."
	}
	return err
}

// revert puts the old texts back in their places, as many as it can.
func (w *rewriting) revert(ctx context.Context) error {
	faults := make([]error, len(w.rewrites))
	for i, s := range w.staged {
		if s != nil && s.Placed() {
			faults[i] = failure.New(failure.KindOther, w.before[i], "the folder of %s cannot be opened", failure.Quote(w.before[i]))
		}
	}
	_ = w.in.Each(ctx, w.before, func(dir *os.Root, name string, i int) error {
		if faults[i] == nil {
			return nil
		}
		faults[i] = w.staged[i].Revert(dir)
		if errors.Is(faults[i], fs.ErrNotExist) {
			faults[i] = w.v.files.Replace(dir, name, w.rewrites[i].Before, atomicfile.Options{})
		}
		return nil
	})
	return errors.Join(append(faults, w.flushFolders(ctx))...)
}

// close removes what is left of it but the texts in their places.
func (w *rewriting) close(ctx context.Context) {
	defer w.together.Close()
	at := w.before
	if w.moved {
		w.in.Rename(w.before, w.after)
		at = w.after
	}
	_ = w.in.Each(ctx, at, func(dir *os.Root, _ string, i int) error {
		if w.staged[i] != nil {
			w.staged[i].Close(dir)
		}
		return nil
	})
}
